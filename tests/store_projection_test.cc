// What the store says of jobs agrees with the scheduler's state, all through random lives
// (simtest/life.h); what it says of use agrees with a plain sum over the records; and all of it can
// be made anew from the journal, also after retention has removed its beginning.
#include <gtest/gtest.h>

#include "schedule/state.h"
#include "store/reader.h"
#include "store/rebuild.h"
#include "store/sqlite_store.h"
#include "store/temporary_folder_test.h"
#include "tests/simtest/life.h"

namespace headroom::store {
namespace {

using schedule::JobOutcome;
using schedule::JobStatus;

// GPUs of healthy nodes and GPUs held, thousandths x milliseconds, as the state has them.
class PlainSum {
 public:
  void see(const schedule::State& state, base::Time time) {
    const std::int64_t step = base::between(last_, time).value();
    if (last_ != base::Time{0}) {
      capacity_ += capacity_now_ * step;
      held_ += held_now_ * step;
    }
    last_ = time;
    capacity_now_ = held_now_ = 0;
    for (std::size_t p = 0; p < state.cpu_pool().index(); ++p) {
      capacity_now_ += state.capacity(schedule::PoolId{p});
      for (const schedule::QueueId top : state.queues().top()) {
        held_now_ += state.held(top, schedule::PoolId{p});
      }
    }
  }
  std::int64_t capacity() const { return capacity_; }
  std::int64_t held() const { return held_; }
  base::Time until() const { return last_; }

 private:
  base::Time last_;
  std::int64_t capacity_now_ = 0, held_now_ = 0, capacity_ = 0, held_ = 0;
};

// Lives begin in 1970, at the time that stands for "never".
base::Time clock(base::Time time) { return time + base::Duration{1'764'500'000'000}; }

// A store that follows a life. Half of the attempts are reported as started.
class Follower {
 public:
  explicit Follower(const std::string& folder, std::size_t batch) : folder_(folder), most_(batch) {
    store_ = std::move(*open_sqlite_store(folder));
    reader_.reset();
  }

  void see(const schedule::State& state, const model::Record& record) {
    if (sequence_ == 0 && batch_.records.empty()) begin(state, clock(record.time));
    add(clock(record.time), record.what);
    if (const auto* decision = std::get_if<model::Decision>(&record.what)) {
      const auto* start = std::get_if<model::StartJob>(decision);
      if (start != nullptr && start->id.job.number % 2 == 0) {
        add(clock(record.time), model::Event{model::AllocationStarted{start->id}});
      }
    }
    sum_.see(state, clock(record.time));
    if (batch_.records.size() >= most_) flush(state);
  }

  void flush(const schedule::State& state) {
    if (snapshots_ && sequence_ % 3 == 0) {
      batch_.snapshot = Snapshot{.sequence = sequence_, .time = clock(state.now()), .bytes = "s"};
    }
    const auto done = store_->commit(batch_);
    ASSERT_TRUE(done) << done.error().message;
    batch_ = {};
    stored_ = sum_;
    if (!reader_) reader_ = std::move(*Reader::open(folder_));
    compare(state);
  }

  void use_snapshots() { snapshots_ = true; }

  void expect_same_use() {
    const auto usage =
        reader_->usage({.from = base::Time{0}, .to = stored_.until(), .by_user = true});
    ASSERT_TRUE(usage) << usage.error().message;
    UsageParts all;
    for (const UsageRow& one : usage->rows) {
      all.allocated += one.parts.allocated;
      EXPECT_EQ(one.parts.allocated, one.parts.useful + one.parts.preempted + one.parts.failed +
                                         one.parts.cancelled + one.parts.idle_held +
                                         one.parts.running);
    }
    EXPECT_GT(all.allocated, 0);
    EXPECT_EQ(all.allocated, stored_.held());
    std::int64_t healthy = 0;
    for (const CapacityRow& one : usage->capacity) healthy += one.capacity - one.down;
    EXPECT_EQ(healthy, stored_.capacity());
  }

  // Closes the store, then makes everything anew in the file.
  void expect_same_when_made_anew() {
    reader_.reset();
    store_.reset();
    Database db(database_path(folder_), Database::Mode::kWrite);
    const std::string kept = digest_of_projections(db);
    db.run("BEGIN IMMEDIATE");
    const auto made = rebuild(db);
    db.run("COMMIT");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(digest_of_projections(db), kept);
  }
  // Removes what may be removed; says how much was.
  std::int64_t retain() {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(store_->retain(stored_.until()));
    }
    Database db(database_path(folder_), Database::Mode::kRead);
    Statement removed(db, "SELECT removed FROM head");
    return removed.first() ? removed.integer(0) : 0;
  }

 private:
  void begin(const schedule::State& state, base::Time time) {
    Batch first;
    first.snapshot = Snapshot{.time = time, .bytes = "first"};
    first.cluster = state.cluster().cluster();
    ASSERT_TRUE(store_->commit(first));
  }
  void add(base::Time time, const std::variant<model::Event, model::Decision>& what) {
    batch_.records.push_back({++sequence_, time, what});
  }

  void compare(const schedule::State& state) {
    const auto live = reader_->jobs({.states = live_states(), .limit = 1'000'000});
    ASSERT_TRUE(live) << live.error().message;
    ASSERT_EQ(live->jobs.size(), state.job_count());
    for (const JobRow& row : live->jobs) {
      const schedule::JobSlot slot = state.find(row.id);
      ASSERT_TRUE(slot.valid()) << row.id.number;
      same(row, state.job(slot));
    }
    const auto over = reader_->jobs({.states = final_states(), .limit = 1'000'000});
    ASSERT_TRUE(over) << over.error().message;
    for (const JobRow& row : over->jobs) {
      ASSERT_FALSE(state.find(row.id).valid());
      if (row.id.element >= 0) continue;  // the state keeps what became of the whole array
      ASSERT_EQ(outcome_of(row.state), state.outcome(row.id.number));
    }
  }

  static void same(const JobRow& row, const schedule::JobEntry& job) {
    const auto name = std::to_string(row.id.number) + "." + std::to_string(row.id.element);
    switch (job.status) {
      case JobStatus::kHeld:
        EXPECT_EQ(row.state, JobState::kHeld) << name;
        break;
      case JobStatus::kBlocked:
      case JobStatus::kWaiting:
        EXPECT_EQ(row.state, JobState::kWaiting) << name;
        break;
      case JobStatus::kRunning:
        EXPECT_EQ(row.state, row.id.number % 2 == 0 ? JobState::kRunning : JobState::kLaunching)
            << name;
        break;
      case JobStatus::kStopping:
        EXPECT_EQ(row.state, JobState::kStopping) << name;
        break;
    }
    EXPECT_EQ(row.attempt, job.attempt) << name;
    EXPECT_EQ(row.submitted, clock(job.submitted)) << name;
    EXPECT_EQ(row.queue, job.spec->job->queue) << name;
    EXPECT_EQ(row.priority, job.spec->job->priority) << name;
  }

  static JobOutcome outcome_of(JobState state) {
    switch (state) {
      case JobState::kCompleted:
        return JobOutcome::kCompleted;
      case JobState::kFailed:
        return JobOutcome::kFailed;
      case JobState::kCancelled:
        return JobOutcome::kCancelled;
      case JobState::kTimedOut:
        return JobOutcome::kTimedOut;
      case JobState::kRejected:
        return JobOutcome::kRejected;
      default:
        return JobOutcome::kUnknown;
    }
  }

  std::string folder_;
  std::size_t most_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  Batch batch_;
  std::uint64_t sequence_ = 0;
  bool snapshots_ = false;
  PlainSum sum_;
  PlainSum stored_;  // up to the last commit
};

// Lives one seed. What came after the last full batch is not stored.
void follow(std::uint64_t seed, Follower& follower) {
  const auto result = simtest::live(
      seed,
      {.checks = false, .watch = [&](const schedule::State& state, const model::Record& record) {
         follower.see(state, record);
       }});
  EXPECT_FALSE(result.findings.any()) << result.findings.text();
  EXPECT_GT(result.events, 100U);
}

TEST(StoreProjection, AgreesWithTheStateThroughRandomLives) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    TemporaryFolder folder;
    Follower follower(folder.path(), 20);
    follow(seed, follower);
    follower.expect_same_use();
    follower.expect_same_when_made_anew();
    if (HasFatalFailure()) return;
  }
}

TEST(StoreProjection, CanBeMadeAnewAfterRetention) {
  for (std::uint64_t seed = 21; seed <= 26; ++seed) {
    SCOPED_TRACE(seed);
    TemporaryFolder folder;
    Follower follower(folder.path(), 20);
    follower.use_snapshots();
    follow(seed, follower);
    EXPECT_GT(follower.retain(), 0);
    follower.expect_same_use();
    follower.expect_same_when_made_anew();
  }
}

}  // namespace
}  // namespace headroom::store

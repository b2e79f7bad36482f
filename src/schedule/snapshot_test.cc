#include "schedule/snapshot.h"

#include <gtest/gtest.h>

#include "model/archive.h"
#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"

namespace headroom::schedule {
namespace {

constexpr std::int64_t kMinute = 60'000;

// Four nodes, two queues; jobs of every kind at work, then the clock moves on.
class Life {
 public:
  Life() : state_(cluster(), std::make_shared<const QueueTree>(queues(), pool_names(*cluster()))) {}
  explicit Life(State state) : state_(std::move(state)) {}

  static std::shared_ptr<const model::Cluster> cluster() {
    model::Cluster made;
    made.name = "small";
    made.gpu_models.push_back({.name = "H100-SXM", .memory = base::gibibytes(80)});
    const model::ShapeId shape = made.intern_shape({.pool = "h100",
                                                    .cpu = base::CpuMilli{96'000},
                                                    .memory = base::gibibytes(1024),
                                                    .gpu_model = model::GpuModelId{0},
                                                    .gpus = 8});
    for (int i = 0; i < 4; ++i) made.nodes.push_back({"n" + std::to_string(i), shape});
    return std::make_shared<const model::Cluster>(made);
  }
  static std::vector<model::Queue> queues() {
    return {{.name = "a", .guarantee = {{"h100", 8}}},
            {.name = "b", .cooperative_sharing = true, .user_limits = {.running = 3}}};
  }

  void record(std::variant<model::Event, model::Decision> what) {
    apply(state_, {.sequence = ++sequence_, .time = now_, .what = std::move(what)});
  }
  void submit(model::Job job) {
    record(model::Event{model::JobSubmitted{{++number_, -1}, std::move(job), {}, {}}});
  }
  void cycle() {
    Scheduler scheduler(state_, make_policy("headroom"),
                        make_placement("best_fit", state_.cluster().cluster(), {}));
    for (const model::Decision& one : scheduler.decide().decisions) record(one);
  }
  void pass(std::int64_t minutes) { now_ = now_ + base::Duration{minutes * kMinute}; }

  static model::Job job(const std::string& queue, std::int64_t tasks, int gpus) {
    model::Job made{.job = "train", .queue = queue, .user = "ana", .time = base::Duration{kMinute}};
    made.groups = {
        {.name = "", .tasks = tasks, .request = {.gpu = model::GpuRequest::whole(gpus)}}};
    return made;
  }

  void fill() {
    submit(job("a", 2, 8));
    submit(job("b", 6, 1));
    model::Job array = job("b", 1, 2);
    array.array = model::ArraySpec{0, 9, 2};
    submit(array);
    model::Job share = job("b", 1, 0);
    share.groups.front().request.gpu = model::GpuRequest::fraction(base::GpuMilli{250});
    share.user = "ben";
    submit(share);
    model::Job later = job("a", 1, 1);
    later.begin = base::Time{90 * kMinute};
    later.after = {{model::Dependency::Kind::kAny, 1}};
    submit(later);
    model::Job held = job("a", 1, 1);
    held.hold = true;
    submit(held);
    submit(job("a", 4, 8));
    cycle();
    pass(7);
    record(model::Event{model::AllocationEnded{{{2, -1}, 1}}});
    record(model::Event{model::TaskEnded{{{1, -1}, 1}, 0, 1}});
    record(model::Event{model::NodeFailed{model::NodeId{0}, "xid 79"}});
    record(model::Event{model::NodeDrained{model::NodeId{3}, "firmware"}});
    record(model::Event{model::ReservationChanged{{.name = "course",
                                                   .start = base::Time{kMinute},
                                                   .end = base::Time{900 * kMinute},
                                                   .queue = "b"},
                                                  {model::NodeId{2}}}});
    pass(3);
    cycle();
  }

  void go_on() {
    pass(100);
    record(model::Event{model::NodeRecovered{model::NodeId{0}}});
    record(model::Event{model::NodeDrained{model::NodeId{3}, "", false}});
    cycle();
    pass(60);
    cycle();
  }

  State state_;
  base::Time now_{kMinute};
  std::uint64_t sequence_ = 0;
  std::int64_t number_ = 0;
};

TEST(Snapshot, SettingsAreThoseOfBefore) {
  const Settings settings{.reservations = 3, .max_slips = 2, .seed = 41};
  const State state(Life::cluster(),
                    std::make_shared<const QueueTree>(Life::queues(), pool_names(*Life::cluster())),
                    settings);
  const auto read = read_state(write_state(state));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->settings().reservations, 3);
  EXPECT_EQ(read->settings().max_slips, 2);
  EXPECT_EQ(read->settings().seed, 41u) << "of placements that draw";
}

TEST(Snapshot, ComesBackWithItsDigestAndGoesOnAlike) {
  Life life;
  life.fill();
  ASSERT_FALSE(life.state_.running().empty());
  ASSERT_FALSE(life.state_.blocked().empty());
  ASSERT_FALSE(life.state_.all_waiting().empty());
  const std::string bytes = write_state(life.state_);
  auto read = read_state(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->digest(), life.state_.digest());
  EXPECT_EQ(write_state(*read), bytes);
  Life other(std::move(*read));
  other.now_ = life.now_;
  life.go_on();
  other.go_on();
  EXPECT_EQ(other.state_.digest(), life.state_.digest());
  EXPECT_GT(life.state_.running().size(), 0u);
}

TEST(Snapshot, WhatIsNotWholeIsRefused) {
  Life life;
  life.fill();
  const std::string bytes = write_state(life.state_);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(read_state(bytes.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    EXPECT_FALSE(read_state(changed)) << at;
  }
  std::string later = bytes;
  later[0] = 8;  // version 4
  const auto refused = read_state(later);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "snapshot: its version is 4; this program reads 3");
}

TEST(Snapshot, RecordsComeBack) {
  model::Job job = Life::job("a", 3, 2);
  job.env = {{"SEED", "1"}};
  job.checkpoint = model::CheckpointSpec{base::Duration{5}, base::Bytes{7}, {"USR1", {}}};
  const std::vector<model::Record> records = {
      {.sequence = 1,
       .time = base::Time{-5},
       .what = model::Event{model::JobSubmitted{{7, 3}, job}}},
      {.sequence = 2,
       .time = base::Time{1'700'000'000'000},
       .what = model::Decision{model::StartJob{
           {{7, 3}, 2}, {{0, 1, model::NodeId{4}, {{.gpu = 3, .share = base::kWholeGpu}}}}}}},
      {.sequence = 3, .time = {}, .what = model::Event{model::Cycle{}}},
      {.sequence = 4,
       .time = {},
       .what = model::Decision{
           model::RejectJob{{9, -1}, model::RejectJob::Reason::kTopologyTooSmall, 9, 4}}}};
  base::Writer out;
  out.put(records);
  base::Reader in(out.bytes());
  EXPECT_EQ(in.get<std::vector<model::Record>>(), records);
  EXPECT_TRUE(in.ok() && in.at_end());
}

}  // namespace
}  // namespace headroom::schedule

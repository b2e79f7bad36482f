#include "tests/simtest/life.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "base/digest.h"
#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "schedule/snapshot.h"
#include "tests/simtest/audit.h"
#include "tests/simtest/checks.h"
#include "tests/simtest/engine.h"
#include "tests/simtest/faults.h"
#include "tests/simtest/journal.h"
#include "tests/simtest/wishes.h"

namespace headroom::simtest {

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::size_t kMostCycles = 10'000;  // then it never ends

schedule::State first_state(const Site& site) {
  return {
      site.cluster,
      std::make_shared<const schedule::QueueTree>(site.queues, schedule::pool_names(*site.cluster)),
      site.settings};
}

class Life {
 public:
  Life(std::uint64_t seed, const LifeOptions& options)
      : options_(options),
        rng_(seed),
        site_(random_site(rng_, options.policy)),
        book_(site_, result_.findings),
        state_(first_state(site_)),
        scheduler_(scheduler_for(state_)),
        wishes_(rng_, book_.site()),
        engine_(rng_, book_, at()),
        faults_(rng_, book_, wishes_, at()),
        checks_(book_, result_.findings) {}

  LifeResult run() {
    result_.site =
        fmt::format("{}, {}, {} nodes", site_.policy, site_.placement, site_.cluster->nodes.size());
    restarts_ = rng_.chance(1, 2);
    plan_arrivals();
    while (!wrong() && (!later_.empty() || cancel_hopeless())) {
      now_ = later_.top().time;
      bool something = false;
      while (!wrong() && !later_.empty() && later_.top().time == now_) {
        const Planned next = later_.top();
        later_.pop();
        const auto event = next.later();
        if (!event) continue;
        something = happen(*event) || something;
      }
      if (something && !wrong()) cycle();
    }
    if (!wrong() && options_.checks) at_the_end();
    digest_.add(state_.digest());
    result_.digest = digest_.value();
    return std::move(result_);
  }

 private:
  struct Planned {
    base::Time time;
    std::uint64_t sequence = 0;
    Engine::Later later;
    friend bool operator<(const Planned& a, const Planned& b) {  // the first is the greatest
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  bool wrong() const { return result_.findings.any(); }

  Engine::At at() {
    return [this](base::Time time, Engine::Later later) {
      later_.push({time, ++sequence_, std::move(later)});
    };
  }

  void plan_arrivals() {
    base::Time time{0};
    const std::int64_t jobs = rng_.between(105, 130);
    const std::int64_t gap = rng_.between(1, 8) * kMinute;
    for (std::int64_t number = 1; number <= jobs; ++number) {
      at()(time, [this, number]() -> std::optional<model::Event> {
        return wishes_.next(number, now_, known_);
      });
      if (rng_.chance(4, 5)) time = time + base::Duration{rng_.between(0, gap)};
    }
    faults_.plan(time);
    result_.faults = faults_.planned();
  }

  // True when it was recorded: only then has the scheduler's time come.
  bool happen(const model::Event& event) {
    const auto ok = check(state_, event);
    if (const auto* submitted = std::get_if<model::JobSubmitted>(&event)) {
      const bool crowded = Law(book_).crowded(*submitted);
      if (crowded && ok) result_.findings.add("check", "a user has more waiting than allowed");
      if (crowded || given_up(submitted->job)) return false;
    }
    if (!ok) {
      result_.findings.add("check", "refuses what may happen: " + ok.error().message);
      return false;
    }
    ++result_.events;
    record(event);
    if (wrong()) return true;
    engine_.happened(event);
    const bool nodes = std::holds_alternative<model::NodeAdded>(event) ||
                       std::holds_alternative<model::NodeChanged>(event) ||
                       std::holds_alternative<model::NodeRemoved>(event);
    if (nodes || std::holds_alternative<model::QueueChanged>(event)) checks_.forget_plans();
    if (const auto* submitted = std::get_if<model::JobSubmitted>(&event)) arrived(*submitted);
    if (const auto* changed = std::get_if<model::JobChanged>(&event)) {
      scheduler_->arrived(changed->id.number);
    }
    if (const auto* held = std::get_if<model::JobHeld>(&event); held != nullptr && held->held) {
      release_later(held->id);
    }
    return true;
  }

  // Its user wants it to wait for a job that was never taken.
  bool given_up(const model::Job& job) const {
    return std::any_of(job.after.begin(), job.after.end(), [&](const model::Dependency& one) {
      return std::find(known_.begin(), known_.end(), one.job) == known_.end();
    });
  }

  void arrived(const model::JobSubmitted& event) {
    const auto& array = event.job.array;
    const std::int64_t first = array ? array->first : -1;
    for (std::int64_t i = first; i <= (array ? array->last : -1); ++i) {
      if (event.job.hold) release_later({event.id.number, i});
    }
    scheduler_->arrived(event.id.number);
    known_.push_back(event.id.number);
  }

  void release_later(model::JobId id) {
    at()(now_ + base::Duration{rng_.between(1, 120) * kMinute},
         [this, id]() -> std::optional<model::Event> {
           if (book_.find(id)->status != Status::kHeld) return {};
           return model::JobHeld{id, false};
         });
  }

  template <class Half>
  void record(const Half& what) {
    model::Record record{.sequence = records_.size() + 1, .time = now_, .what = what};
    if (options_.journal) print(record);
    apply(state_, record);
    if (options_.watch) options_.watch(state_, record);
    book_.read(record);
    records_.push_back(std::move(record));
  }

  std::unique_ptr<schedule::Scheduler> scheduler_for(schedule::State& state) const {
    return std::make_unique<schedule::Scheduler>(
        state, schedule::make_policy(site_.policy),
        schedule::make_placement(site_.placement, state.cluster().cluster(), {}));
  }

  // As when a server stops and starts again: all that is left is what was written of the state.
  void restart() {
    if (options_.journal) fmt::print("restart\n");
    const std::string bytes = schedule::write_state(state_);
    auto back = schedule::read_state(bytes);
    if (!back) return result_.findings.add("snapshot", back.error().message);
    if (options_.checks) same_state(*back, bytes);
    if (wrong()) return;
    ++result_.restarts;
    state_ = std::move(*back);
    scheduler_ = scheduler_for(state_);
    checks_.restarted();
  }

  void same_state(schedule::State& back, const std::string& bytes) {
    if (back.digest() != state_.digest()) result_.findings.add("snapshot", "another digest");
    if (schedule::write_state(back) != bytes) {
      result_.findings.add("snapshot", "what was read is written in another way");
    }
    audit(back, book_, result_.findings);
    if (wrong()) return;
    schedule::State copy = state_;
    if (scheduler_for(copy)->decide().decisions != scheduler_for(back)->decide().decisions) {
      result_.findings.add("snapshot", "other decisions are made on the state that was read");
    }
  }

  void cycle() {
    if (++cycles_ > kMostCycles) return result_.findings.add("liveness", "it goes on for ever");
    if (rng_.chance(1, 2)) refuse();
    if (restarts_ && rng_.chance(1, 40)) restart();
    if (wrong()) return;
    book_.begin_cycle();
    if (options_.checks) checks_.before_cycle();
    const std::uint64_t before = options_.checks ? state_.digest() : 0;
    const schedule::Decisions decided = scheduler_->decide();
    if (options_.checks && state_.digest() != before) {
      return result_.findings.add("undo", "a cycle does not leave the state as it was");
    }
    for (const model::Decision& decision : decided.decisions) {
      record(decision);
      if (wrong()) return;
      note(decision);
      if (options_.checks) checks_.decided(decision);
      if (wrong()) return;
      std::visit([&](const auto& one) { engine_.carry_out(one); }, decision);
    }
    if (options_.checks) {
      checks_.after_cycle(decided.next_wakeup > now_);
      audit(state_, book_, result_.findings);
    }
    if (wrong() && options_.journal) print_reasons();
    wake(decided.next_wakeup);
  }

  void print_reasons() const {
    print(book_.site());
    for (const BookJob& job : book_.jobs()) {
      const schedule::JobSlot slot = state_.find(job.id);
      if (!job.ready() || !slot.valid()) continue;
      const schedule::Reason why = scheduler_->reason(slot);
      fmt::print("{} waits: reason {}, pool {}, needs {}, has {}\n", name_of(job.id),
                 static_cast<int>(why.kind), why.pool.index(), why.needs, why.has);
    }
  }

  void note(const model::Decision& decision) {
    digest_.add(now_.value());
    digest_.add(std::uint64_t{decision.index()});
    if (const auto* start = std::get_if<model::StartJob>(&decision)) {
      ++result_.starts;
      digest_.add(start->id.job.number);
      for (const auto& task : start->placement) digest_.add(std::uint64_t{task.node.index()});
    }
    if (std::holds_alternative<model::ReserveFor>(decision)) ++result_.promises;
  }

  void wake(base::Time time) {
    if (time == schedule::kNever) return;
    if (time < now_) return result_.findings.add("liveness", "a wake-up that is past");
    const std::uint64_t version = ++wake_version_;
    at()(time, [this, version]() -> std::optional<model::Event> {
      if (version != wake_version_) return {};
      return model::Cycle{};
    });
  }

  void refuse() {
    const model::Event event = faults_.refused();
    if (!options_.checks) return;
    const std::uint64_t before = state_.digest();
    if (check(state_, event)) {
      result_.findings.add("check",
                           fmt::format("accepts what cannot be (event kind {})", event.index()));
    }
    if (state_.digest() != before) result_.findings.add("check", "a refused event has an effect");
  }

  // Nothing is planned any more. Jobs whose dependency can never be met are given up by their
  // users; false when there is none.
  bool cancel_hopeless() {
    for (const BookJob& job : book_.jobs()) {
      if (job.status != Status::kWaiting || !job.blocked || !book_.blocked_for_ever(job)) continue;
      const model::JobId id = job.id;
      at()(now_ + base::Duration{kMinute},
           [id]() -> std::optional<model::Event> { return model::JobCancelled{id, "ana"}; });
      return true;
    }
    return false;
  }

  void at_the_end() {
    for (const BookJob& job : book_.jobs()) {
      if (job.status == Status::kEnded) continue;
      result_.findings.add("liveness", name_of(job.id) + " waits for ever");
    }
    schedule::State again = first_state(site_);
    for (const model::Record& record : records_) apply(again, record);
    if (again.digest() != state_.digest()) {
      result_.findings.add("replay", "the records give another state");
    }
  }

  LifeOptions options_;
  LifeResult result_;
  base::Rng rng_;
  Site site_;
  Book book_;
  schedule::State state_;
  std::unique_ptr<schedule::Scheduler> scheduler_;
  std::priority_queue<Planned> later_;
  std::uint64_t sequence_ = 0;
  base::Time now_{0};
  Wishes wishes_;
  Engine engine_;
  Faults faults_;
  Checks checks_;
  std::vector<model::Record> records_;
  std::vector<std::int64_t> known_;  // numbers of jobs
  std::uint64_t wake_version_ = 0;
  std::size_t cycles_ = 0;
  bool restarts_ = false;
  base::Digest digest_;
};

}  // namespace

LifeResult live(std::uint64_t seed, const LifeOptions& options) {
  return Life(seed, options).run();
}

}  // namespace headroom::simtest

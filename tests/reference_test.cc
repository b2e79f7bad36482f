// The scheduler beside the plainest one that can be written, on small cases: one pool of equal
// nodes, jobs of one task and whole GPUs. Both must start the same jobs in every cycle; which of
// the nodes and GPUs with room a job gets is taken over from the scheduler.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "tests/world.h"

namespace headroom::tests {

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr int kGpus = 8;  // of a node

class Plain {
 public:
  Plain(int nodes, bool backfills) : nodes_(nodes), backfills_(backfills) {}

  void arrives(std::int64_t job, int gpus, std::int64_t minutes) {
    waiting_.push_back({job, gpus, minutes * kMinute});
  }
  void ends(std::int64_t job) { running_.erase(job); }
  std::vector<std::int64_t> running() const {
    std::vector<std::int64_t> jobs;
    for (const auto& [job, run] : running_) jobs.push_back(job);
    return jobs;
  }

  // Goes through the queue in order, and expects of the cycle what it would do itself.
  void compare(const std::vector<model::Decision>& decisions, std::int64_t now) {
    now_ = now;
    std::map<std::int64_t, Place> started;  // by job
    for (const model::Decision& decision : decisions) {
      if (const auto* start = std::get_if<model::StartJob>(&decision)) {
        started[start->id.job.number] = place_of(start->placement);
      } else if (const auto* kept = std::get_if<model::ReserveFor>(&decision)) {
        promise_ = {kept->job.number, kept->start.value(), place_of(kept->placement)};
      }
    }
    std::optional<Waiting> head;  // the first that does not fit
    std::vector<Waiting> left;
    for (const Waiting& job : waiting_) {
      const bool starts = head ? backfills_ && may_pass(job, *head) : fits(job);
      EXPECT_EQ(started.count(job.number), starts ? 1u : 0u) << "job " << job.number;
      if (started.count(job.number) == 0) {
        if (!head) head = job;
        left.push_back(job);
        continue;
      }
      const Place place = started[job.number];
      EXPECT_EQ(std::popcount(place.gpus), job.gpus) << "job " << job.number;
      EXPECT_EQ(place.gpus & ~idle(place.node, now_), 0u) << "job " << job.number;
      if (head && now_ + job.time > promise_.start && place.node == promise_.place.node) {
        EXPECT_EQ(place.gpus & promise_.place.gpus, 0u) << "job " << job.number << " is in the way";
      }
      running_[job.number] = {place, now_, now_ + job.time};
    }
    waiting_ = left;
  }

 private:
  struct Waiting {
    std::int64_t number;
    int gpus;
    std::int64_t time;
  };
  struct Place {
    int node = 0;
    unsigned gpus = 0;  // bit i: GPU i
  };
  struct Run {
    Place place;
    std::int64_t since;
    std::int64_t end;
  };
  struct Promise {
    std::int64_t job = -1;
    std::int64_t start = 0;
    Place place;
  };

  static Place place_of(const model::Placement& placement) {
    Place place{static_cast<int>(placement.front().node.index())};
    for (const model::DeviceUse& use : placement.front().devices) place.gpus |= 1u << use.gpu;
    return place;
  }

  // Later than its limit a job is expected to go on for a tenth of its time, or five minutes.
  std::int64_t expected_end(const Run& run) const {
    if (run.end > now_) return run.end;
    return now_ + std::max(5 * kMinute, (now_ - run.since) / 10);
  }

  // GPUs of the node that nobody is expected to hold at the time.
  unsigned idle(int node, std::int64_t time) const {
    unsigned gpus = (1u << kGpus) - 1u;
    for (const auto& [job, run] : running_) {
      const bool holds = time == now_ || expected_end(run) > time;
      if (run.place.node == node && holds) gpus &= ~run.place.gpus;
    }
    return gpus;
  }

  bool fits(const Waiting& job) const {
    for (int node = 0; node < nodes_; ++node) {
      if (job.gpus <= std::popcount(idle(node, now_))) return true;
    }
    return false;
  }

  // The job fits somewhere now, and keeps off what the head of the queue was promised.
  bool may_pass(const Waiting& job, const Waiting& head) const {
    if (!fits(job)) return false;
    EXPECT_EQ(promise_.job, head.number) << "somebody could pass, so it needs a plan";
    EXPECT_EQ(promise_.place.gpus & ~idle(promise_.place.node, promise_.start), 0u)
        << "job " << head.number << " cannot start as planned";
    for (int node = 0; node < nodes_; ++node) {
      unsigned free = idle(node, now_);
      const bool ends_before = now_ + job.time <= promise_.start;
      if (node == promise_.place.node && !ends_before) free &= ~promise_.place.gpus;
      if (job.gpus <= std::popcount(free)) return true;
    }
    return false;
  }

  int nodes_;
  bool backfills_;
  std::int64_t now_ = 0;
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, Run> running_;
  Promise promise_;
};

void live(std::uint64_t seed, const std::string& policy) {
  base::Rng rng(seed);
  const auto nodes = static_cast<int>(rng.between(2, 5));
  World world(gpu_cluster(nodes), {{.name = "q"}}, policy);
  Plain plain(nodes, policy == "easy");
  for (int step = 0; step < 150 && !testing::Test::HasFailure(); ++step) {
    world.pass(rng.between(0, 15));
    const std::vector<std::int64_t> running = plain.running();
    if (!running.empty() && rng.chance(2, 5)) {
      const std::int64_t job = running[rng.below(running.size())];
      world.finish(job);
      plain.ends(job);
    } else {
      const auto gpus = static_cast<int>(rng.between(1, 8));
      const std::int64_t minutes = rng.between(5, 400);
      model::Job job = job_of("q", 1, gpus, minutes);
      job.expected = job.time;
      job.time = {};  // nothing is stopped for its limit
      plain.arrives(world.submit(job), gpus, minutes);
    }
    plain.compare(world.cycle().decisions, world.now().value());
  }
}

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, StartsTheSameJobs) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    live(seed, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Reference, testing::Values("fifo", "easy"),
                         [](const auto& param) { return param.param; });

}  // namespace

}  // namespace headroom::tests

#include "tests/simtest/audit.h"

#include <algorithm>

#include "tests/simtest/checks.h"
#include "tests/simtest/law.h"

namespace headroom::simtest {

namespace {

class Audit {
 public:
  Audit(const schedule::State& state, const Book& book, Findings& findings)
      : state_(state), book_(book), findings_(findings) {}

  void run() {
    if (state_.cluster().node_count() != book_.site().cluster->nodes.size()) {
      return wrong("another number of nodes");
    }
    for (std::size_t i = 0; i < book_.site().cluster->nodes.size(); ++i) node(model::NodeId{i});
    jobs();
    sums();
    waiting();
  }

 private:
  void wrong(const std::string& text) { findings_.add("books", text); }

  void node(model::NodeId id) {
    const schedule::NodeState& has = state_.cluster().node(id);
    const Room& room = book_.rooms()[id];
    const model::NodeShape& shape = book_.site().cluster->shape(id);
    if (state_.cluster().cluster().nodes[id.index()].name !=
            book_.site().cluster->nodes[id.index()].name ||
        state_.cluster().shape(id) != shape) {
      return wrong("node " + std::to_string(id.index()) + " is another");
    }
    bool same = has.cpu.value() == room.cpu && has.memory.value() == room.memory &&
                has.tasks == room.tasks && has.exclusive == room.exclusive &&
                has.schedulable == book_.open(id);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.gpus); ++i) {
      const Gpu& gpu = room.gpus[i];
      same = same && has.gpus[i].used_slices() == gpu.slices &&
             (gpu.slices != 0 || has.gpus[i].shareable_milli() == 1000 - gpu.shared);
    }
    if (!same) wrong("node " + std::to_string(id.index()) + " has something else free");
  }

  void jobs() {
    std::size_t live = 0;
    for (const BookJob& job : book_.jobs()) {
      const schedule::JobSlot slot = state_.find(job.id);
      if (job.status == Status::kEnded) {
        if (slot.valid()) wrong(name_of(job.id) + " has ended, and is still there");
        if (job.id.element < 0) ended(job);
        continue;
      }
      ++live;
      if (!slot.valid()) {
        findings_.add("lost job", name_of(job.id) + " is gone");
        continue;
      }
      const schedule::JobEntry& entry = state_.job(slot);
      if (entry.status != status_of(job)) wrong(name_of(job.id) + " has another status");
      if (entry.attempt != job.attempt) wrong(name_of(job.id) + " has another attempt");
      if (entry.slips != job.slips) wrong(name_of(job.id) + " was moved back more or less often");
      if (entry.running != static_cast<std::int64_t>(job.tasks.size()) ||
          entry.finished != static_cast<std::int64_t>(job.done.size())) {
        wrong(name_of(job.id) + " runs another number of tasks");
      }
    }
    if (live != state_.job_count()) wrong("another number of jobs");
  }

  static schedule::JobStatus status_of(const BookJob& job) {
    using Kind = schedule::JobStatus;
    if (job.status == Status::kHeld) return Kind::kHeld;
    if (job.status == Status::kRunning) return Kind::kRunning;
    if (job.status == Status::kStopping) return Kind::kStopping;
    return job.blocked ? Kind::kBlocked : Kind::kWaiting;
  }

  void ended(const BookJob& job) {
    static constexpr std::array kOutcome = {
        schedule::JobOutcome::kUnknown,  schedule::JobOutcome::kCompleted,
        schedule::JobOutcome::kFailed,   schedule::JobOutcome::kCancelled,
        schedule::JobOutcome::kTimedOut, schedule::JobOutcome::kRejected};
    if (state_.outcome(job.id.number) != kOutcome[static_cast<std::size_t>(job.end)]) {
      wrong(name_of(job.id) + " ended in another way");
    }
  }

  void sums() {
    const Law law(book_);
    if (state_.queues().size() != book_.site().queues.size()) return wrong("other queues");
    const auto& pools = state_.queues().pools();
    for (std::size_t p = 0; p < pools.size(); ++p) {
      const schedule::PoolId pool{p};
      if (state_.capacity(pool) != law.capacity(pools[p])) wrong("another capacity of " + pools[p]);
      for (std::size_t q = 0; q < state_.queues().size(); ++q) {
        const schedule::QueueId queue{q};
        const std::string& name = state_.queues()[queue].name;
        if (state_.held(queue, pool) != law.held(name, pools[p]) ||
            state_.held_firmly(queue, pool) != law.held(name, pools[p], true)) {
          wrong("queue " + name + " holds something else of " + pools[p]);
        }
      }
    }
  }

  void waiting() {
    std::vector<const BookJob*> ready;
    for (const BookJob& job : book_.jobs()) {
      if (job.ready()) ready.push_back(&job);
    }
    std::sort(ready.begin(), ready.end(),
              [](const BookJob* a, const BookJob* b) { return earlier(*a, *b); });
    const auto& has = state_.all_waiting();
    const bool same = std::equal(ready.begin(), ready.end(), has.begin(), has.end(),
                                 [&](const BookJob* job, schedule::JobSlot slot) {
                                   return state_.job(slot).spec->id == job->id;
                                 });
    if (!same) findings_.add("order", "jobs wait in another order");
  }

  const schedule::State& state_;
  const Book& book_;
  Findings& findings_;
};

}  // namespace

void audit(const schedule::State& state, const Book& book, Findings& findings) {
  if (!findings.any()) Audit(state, book, findings).run();
}

}  // namespace headroom::simtest

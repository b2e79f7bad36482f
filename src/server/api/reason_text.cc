#include "server/api/reason_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/time.h"

namespace headroom::server::api {

namespace {

using schedule::JobEntry;
using schedule::JobSlot;
using schedule::JobStatus;
using schedule::Reason;
using schedule::State;

// "8", "0.5", "0.125"
std::string decimal(std::int64_t milli) {
  std::string text = fmt::format("{}.{:03}", milli / 1000, std::abs(milli % 1000));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string name_of(const State& state, schedule::QueueId queue) {
  return queue.valid() ? state.queues()[queue].name : std::string("?");
}

// The job that is in the way: its number, and when it is planned to start.
std::string holder_text(const State& state, JobSlot holder) {
  if (!holder.valid() || !state.job(holder).spec) return "a job before it";
  const JobEntry& job = state.job(holder);
  std::string text = "job " + model::to_text(job.spec->id);
  if (job.planned_start < schedule::kNever) {
    text += ", planned for " + formats::print_time(job.planned_start);
  }
  return text;
}

ReasonText blocked_text(const State& state, const model::Job& job) {
  if (job.begin > state.now()) return {"begin", "begins at " + formats::print_time(job.begin)};
  using Kind = model::Dependency::Kind;
  std::vector<std::string> waits;
  for (const model::Dependency& one : job.after) {
    const bool open = one.kind == Kind::kStarted
                          ? !state.has_started(one.job)
                          : state.outcome(one.job) == schedule::JobOutcome::kUnknown;
    if (!open) continue;
    waits.push_back(fmt::format("{} {}", one.job, one.kind == Kind::kStarted ? "starts" : "ends"));
  }
  return {"dependency", fmt::format("waits until job {}", fmt::join(waits, ", "))};
}

ReasonText waiting_text(const State& state, const JobEntry& job, const Reason& reason) {
  using Kind = Reason::Kind;
  const auto amount = [&](std::int64_t milli) { return amount_text(state, reason.pool, milli); };
  const std::string needs = reason.needs > 0 ? "needs " + amount(reason.needs) : "it waits";
  switch (reason.kind) {
    case Kind::kNone:
      return {"not_looked_at", "not looked at yet"};
    case Kind::kCapacity:
      return {"resources", fmt::format("{}; {} free", needs, amount(reason.has))};
    case Kind::kFragments:
      return {"fragmentation", fmt::format("{}; {} free, but in pieces that do not suit it", needs,
                                           amount(reason.has))};
    case Kind::kTopology:
      return {"topology",
              fmt::format("{}; it would fit, but not as close together as it asks", needs)};
    case Kind::kReservation:
      return {"reservation", fmt::format("{}; starting it now would delay {}", needs,
                                         holder_text(state, reason.holder))};
    case Kind::kWindow:
      return {
          "window",
          fmt::format("{}; nodes are reserved or under maintenance before it would end", needs)};
    case Kind::kQueueLimit:
      return {"quota", fmt::format("{}; queue {} has {} left of its limit", needs,
                                   name_of(state, reason.queue), amount(reason.has))};
    case Kind::kUserLimit:
      return {"user_limit", fmt::format("{} has as much as one user may have in queue {}",
                                        job.spec->job->user, name_of(state, reason.queue))};
    case Kind::kGuarantee:
      return {
          "guarantee",
          fmt::format("{}; it cannot be preempted, so it runs within the guarantee of queue {}, "
                      "of which {} left",
                      needs, name_of(state, reason.queue), amount(reason.has))};
    case Kind::kArrayLimit:
      return {"array_limit", "as many elements of its array run as may at a time"};
    case Kind::kOrder:
      return {"order",
              fmt::format("waits for its turn behind {}", holder_text(state, reason.holder))};
  }
  return {"not_looked_at", "not looked at yet"};
}

}  // namespace

std::string amount_text(const State& state, schedule::PoolId pool, std::int64_t milli) {
  const bool cores = pool.valid() && pool == state.cpu_pool();
  const char* const unit = cores ? "core" : "GPU";
  const std::string where =
      pool.valid() && !cores ? " of " + state.queues().pools()[pool.index()] : "";
  return fmt::format("{} {}{}{}", decimal(milli), unit, milli == 1000 ? "" : "s", where);
}

ReasonText explain(const State& state, JobSlot slot, const Reason& reason) {
  const JobEntry& job = state.job(slot);
  switch (job.status) {
    case JobStatus::kHeld:
      return {"hold", "held; headroom release " + model::to_text(job.spec->id)};
    case JobStatus::kBlocked:
      return blocked_text(state, *job.spec->job);
    case JobStatus::kWaiting:
      return waiting_text(state, job, reason);
    case JobStatus::kRunning:
    case JobStatus::kStopping:
      return {};
  }
  return {};
}

std::string rejection_text(model::RejectJob::Reason reason, std::int64_t needs, std::int64_t most) {
  using Why = model::RejectJob::Reason;
  const auto than = [&](const char* what) {
    return fmt::format("asks for {} {}; the most that could run is {}", needs, what, most);
  };
  switch (reason) {
    case Why::kNoSuchGpuModel:
      return "no node has such a GPU, or one with so much memory";
    case Why::kTooLargeForAnyNode:
      return needs > 0 ? than("GPUs in one task")
                       : "no node has so many CPUs, so much memory or such a MIG profile";
    case Why::kTooLargeForTheCluster:
      return than("tasks");
    case Why::kNoMatchingLabels:
      return "no node has these labels";
    case Why::kNoIsolationForShares:
      return "a part of a GPU needs MIG, or a queue with `sharing: cooperative`";
    case Why::kAboveQueueLimit:
      return fmt::format("needs {}; its queue may never have more than {}", decimal(needs),
                         decimal(most));
    case Why::kAboveGuarantee:
      return fmt::format("cannot be preempted and needs {}; its queue is guaranteed {}",
                         decimal(needs), decimal(most));
    case Why::kTopologyTooSmall:
      return than("tasks as close together as it wants");
    case Why::kDependencyNeverHolds:
      return "a job that it waits for has ended otherwise";
  }
  return "it can never run";
}

}  // namespace headroom::server::api

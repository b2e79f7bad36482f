#include "server/publisher.h"

#include <utility>

#include "formats/json.h"
#include "formats/time.h"
#include "formats/value.h"

namespace headroom::server {

using formats::Value;
using model::JobId;

Publisher::Publisher(const schedule::State& state, net::EventHub& hub) : state_(state), hub_(hub) {
  for (std::size_t i = 0; i < state.job_slots(); ++i) {
    const schedule::JobEntry& job = state.job(schedule::JobSlot{i});
    if (job.spec) jobs_[job.spec->id.number] = {job.spec->job->queue, job.spec->job->user};
  }
}

void Publisher::publish(const model::Record& record) {
  std::vector<net::Event> events = events_of(record);
  if (!events.empty()) hub_.publish(record.sequence, std::move(events));
}

net::Event Publisher::job_event(JobId id, const char* what) {
  const Whose whose = jobs_[id.number];
  const bool over = state_.outcome(id.number) != schedule::JobOutcome::kUnknown;
  if (over) jobs_.erase(id.number);
  return {.type = "job",
          .data = formats::print_json_line(Value::map({{"id", Value::string(model::to_text(id))},
                                                       {"event", Value::string(what)},
                                                       {"queue", Value::string(whose.queue)},
                                                       {"user", Value::string(whose.user)},
                                                       {"ended", Value::boolean(over)}})),
          .topic = whose.queue + "\n" + whose.user};
}

net::Event Publisher::node_event(model::NodeId id, const char* what) {
  const std::string& name = state_.cluster().cluster().nodes[id.index()].name;
  return {.type = "node",
          .data = formats::print_json_line(
              Value::map({{"name", Value::string(name)}, {"event", Value::string(what)}})),
          .topic = ""};
}

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string queue_data(const model::QueueChanged& event) {
  return formats::print_json_line(
      Value::map({{"name", Value::string(event.queue.name)},
                  {"event", Value::string(event.removed ? "removed" : "changed")}}));
}

}  // namespace

std::vector<net::Event> Publisher::events_of(const model::Record& record) {
  using Events = std::vector<net::Event>;
  const Overloaded of_event{
      [&](const model::JobSubmitted& one) {
        jobs_[one.id.number] = {one.job.queue, one.job.user};
        return Events{job_event(one.id, "submitted")};
      },
      [&](const model::JobCancelled& one) { return Events{job_event(one.id, "cancelled")}; },
      [&](const model::JobChanged& one) { return Events{job_event(one.id, "changed")}; },
      [&](const model::JobHeld& one) {
        return Events{job_event(one.id, one.held ? "held" : "released")};
      },
      [&](const model::AllocationStarted& one) { return Events{job_event(one.id.job, "started")}; },
      [&](const model::AllocationEnded& one) { return Events{job_event(one.id.job, "ended")}; },
      [&](const model::AllocationLost& one) { return Events{job_event(one.id.job, "lost")}; },
      [&](const model::TaskEnded& one) { return Events{job_event(one.id.job, "task ended")}; },
      [&](const model::NodeAdded&) {
        return Events{node_event(model::NodeId{state_.cluster().node_count() - 1}, "added")};
      },
      [&](const model::NodeChanged& one) { return Events{node_event(one.node, "changed")}; },
      [&](const model::NodeRemoved& one) { return Events{node_event(one.node, "removed")}; },
      [&](const model::NodeDrained& one) {
        return Events{node_event(one.node, one.drained ? "drained" : "undrained")};
      },
      [&](const model::NodeFailed& one) { return Events{node_event(one.node, "failed")}; },
      [&](const model::NodeRecovered& one) { return Events{node_event(one.node, "recovered")}; },
      [&](const model::QueueChanged& one) {
        return Events{{.type = "queue", .data = queue_data(one), .topic = ""}};
      },
      [](const auto&) { return Events{}; }};
  const Overloaded of_decision{
      [&](const model::StartJob& one) { return Events{job_event(one.id.job, "placed")}; },
      [&](const model::StopJob& one) { return Events{job_event(one.id.job, "stopping")}; },
      [&](const model::RejectJob& one) { return Events{job_event(one.job, "rejected")}; },
      [&](const model::ReserveFor& one) {
        return one.slipped ? Events{job_event(one.job, "slipped")} : Events{};
      },
      [](const auto&) { return Events{}; }};
  return std::visit(
      Overloaded{[&](const model::Event& event) { return std::visit(of_event, event); },
                 [&](const model::Decision& one) { return std::visit(of_decision, one); }},
      record.what);
}

}  // namespace headroom::server

// What is done to a job that is there: cancel, hold, release, requeue, another priority.
#include <fmt/format.h>

#include <algorithm>

#include "formats/json_parser.h"
#include "formats/quantity.h"
#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using formats::Value;
using model::JobId;
using schedule::JobSlot;

namespace {

using CallPtr = std::shared_ptr<Call>;
using Work = std::function<base::Result<void>(Change&, JobId)>;
using access::Action;

// The jobs of the path that have not ended: one, or all elements of an array.
std::vector<JobSlot> slots_of(const Change& change, JobId id) {
  if (id.element < 0) return change.state().slots_of(id.number);
  const JobSlot slot = change.state().find(id);
  return slot.valid() ? std::vector<JobSlot>{slot} : std::vector<JobSlot>{};
}

net::Problem not_there(const Change& change, JobId id) {
  const bool ended = change.state().outcome(id.number) != schedule::JobOutcome::kUnknown;
  const std::string name = "job " + model::to_text(id);
  return ended ? problem(409, name + ": it has ended") : not_found(name);
}

// Does `work` to each; what is refused of some elements of an array is told if all refuse.
Outcome do_to(const Call& call, Change& change, JobId id, Action action, const Work& work) {
  const std::vector<JobSlot> slots = slots_of(change, id);
  if (slots.empty()) return tl::unexpected(not_there(change, id));
  const auto& job = *change.state().job(slots.front()).spec->job;
  if (auto no = call.forbidden(action, job.queue, job.user)) {
    return tl::unexpected(*no);
  }
  std::vector<JobId> ids;
  for (const JobSlot slot : slots) ids.push_back(change.state().job(slot).spec->id);
  Value done = Value::list();
  std::string refusal;
  for (const JobId one : ids) {
    const base::Result<void> ok = work(change, one);
    if (ok) done.items.push_back(Value::string(model::to_text(one)));
    if (!ok && refusal.empty()) refusal = ok.error().message;
  }
  if (done.items.empty()) return tl::unexpected(problem(409, refusal));
  return json(Value::map({{"changed", std::move(done)}}));
}

auto handler(Action action, Work work) {
  return [action, work = std::move(work)](const CallPtr& call) {
    const auto id = model::parse_job_id(call->value(0));
    if (!id) return call->refuse(not_found("job '" + call->value(0) + "'"));
    call->change("job " + call->value(0), [call, action, work, id = *id](Change& change) {
      return do_to(*call, change, id, action, work);
    });
  };
}

void cancel(const CallPtr& call) {
  return handler(Action::kCancel, [user = call->who().user](Change& change, JobId id) {
    return change.record(model::JobCancelled{id, user});
  })(call);
}

base::Result<void> hold(Change& change, JobId id) {
  return change.record(model::JobHeld{id, true});
}
base::Result<void> release(Change& change, JobId id) {
  return change.record(model::JobHeld{id, false});
}
base::Result<void> requeue(Change& change, JobId id) { return change.requeue(id); }

// {"priority": n}
base::Result<std::int64_t> priority_of(const std::string& body) {
  const auto tree = formats::parse_json("body", body);
  if (!tree) return tl::unexpected(tree.error());
  const Value* const value = tree->is_map() ? tree->find("priority") : nullptr;
  if (!value || tree->items.size() != 1) return base::fail(R"(body: it is {"priority": number})");
  return formats::parse_integer(value->is_scalar() && !value->is_text ? value->text : "?",
                                -1'000'000, 1'000'000);
}

// Whether the job is still what the caller has seen. In the control thread nothing comes between;
// what this step has changed already is not in the store yet.
std::optional<net::Problem> changed_since(Call& call, Change& change, JobId id) {
  const std::string expected(call.request().header("If-Match"));
  if (expected.empty() || expected == "*") return std::nullopt;
  const auto row = call.services().control_reader.job(id);
  if (!row) return problem(500, row.error().message);
  if (!*row) return not_found("job " + model::to_text(id));
  const auto& pending = change.also().records;
  const bool just_now = std::any_of(pending.begin(), pending.end(), [&](const auto& record) {
    const auto* const event = std::get_if<model::Event>(&record.what);
    const auto* const changed = event ? std::get_if<model::JobChanged>(event) : nullptr;
    return changed && changed->id == id;
  });
  if (!just_now && etag_of(**row) == expected) return std::nullopt;
  return problem(412, "job " + model::to_text(id) + " has changed since " + expected);
}

Outcome set_priority(const Call& call, Change& change, JobId id, std::int64_t priority) {
  const JobSlot slot = change.state().find(id);
  if (!slot.valid()) return tl::unexpected(not_there(change, id));
  model::Job job = *change.state().job(slot).spec->job;
  const Action action = priority > job.priority ? Action::kRaisePriority : Action::kLowerPriority;
  if (auto no = call.forbidden(action, job.queue, job.user)) return tl::unexpected(*no);
  job.priority = priority;
  const auto ok = change.record(model::JobChanged{id, std::move(job)});
  if (!ok) return tl::unexpected(problem(409, ok.error().message));
  return json(Value::map({{"changed", Value::list({Value::string(model::to_text(id))})}}));
}

void patch_job(const CallPtr& call) {
  const auto id = model::parse_job_id(call->value(0));
  if (!id) return call->refuse(not_found("job '" + call->value(0) + "'"));
  const auto priority = priority_of(call->request().body);
  if (!priority) return call->refuse(invalid_body(priority.error()));
  call->change("job " + call->value(0),
               [call, id = *id, priority = *priority](Change& change) -> Outcome {
                 if (auto no = changed_since(*call, change, id)) return tl::unexpected(*no);
                 return set_priority(*call, change, id, priority);
               });
}

Route change_route(const std::string& verb, const std::string& says,
                   std::function<void(CallPtr)> handle) {
  return {.method = "POST",
          .path = "/api/v1/jobs/{id}/" + verb,
          .operation = verb + "Job",
          .says = says,
          .parameters = {{"id", "a job, an array, or one element", text()}},
          .answer = {"the jobs that were changed", "application/json",
                     object({{"changed", list_of(text()), ""}})},
          .problems = {404, 409, 422},
          .handle = std::move(handle)};
}

}  // namespace

std::vector<Route> job_change_routes() {
  return {
      change_route("cancel", "Ends a job for good", cancel),
      change_route("hold", "Keeps a waiting job from starting", handler(Action::kControl, hold)),
      change_route("release", "Lets a held job wait again", handler(Action::kControl, release)),
      change_route("requeue", "Stops a running job; it waits again, with its age",
                   handler(Action::kControl, requeue)),
      {.method = "PATCH",
       .path = "/api/v1/jobs/{id}",
       .operation = "changeJob",
       .says = "Another priority for a waiting job",
       .parameters = {{"id", "1041, or 1041.7 of an array", text()}},
       .bodies = {{"", "application/json", object({{"priority", whole(), ""}})}},
       .answer = {"the jobs that were changed", "application/json",
                  object({{"changed", list_of(text()), ""}})},
       .problems = {404, 409, 412, 422},
       .handle = patch_job}};
}

}  // namespace headroom::server::api

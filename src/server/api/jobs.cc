// Jobs: submission, lists, one job, why it waits.
#include <fmt/format.h>

#include <algorithm>

#include "formats/job_yaml.h"
#include "formats/quantity.h"
#include "formats/spelling.h"
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

// ---- one job

std::optional<ReasonText> reason_of(const Change& now, JobId id) {
  const JobSlot slot = now.state().find(id);
  if (!slot.valid()) return std::nullopt;
  return explain(now.state(), slot, now.reason(slot));
}

// What a job is given in its environment is for those who may read what it wrote.
void hide_environment(const Call& call, const store::JobRow& row, model::Job& spec) {
  if (!call.forbidden(access::Action::kReadLogs, row.queue, row.user)) return;
  for (auto& [name, value] : spec.env) value = "(hidden)";
}

void get_job(const CallPtr& call) {
  call->read([call](store::Reader& reader) {
    const auto row = readable_job(*call, reader);
    if (!row) return;
    auto spec = reader.spec(row->id);
    auto timeline = reader.timeline(row->id);
    auto attempts = reader.allocations(row->id);
    if (!spec || !*spec || !timeline || !attempts) {
      return call->refuse(problem(500, "the store cannot be read; headroom verify says more"));
    }
    hide_environment(*call, *row, **spec);
    call->look([call, row = *row, spec = std::move(**spec), timeline = std::move(*timeline),
                attempts = std::move(*attempts)](const Change& now) {
      Value document = job_document(row, reason_of(now, row.id));
      add_detail(document, spec, timeline, attempts);
      net::Response response = json(document);
      response.headers.emplace_back("ETag", etag_of(row));
      call->answer(response);
    });
  });
}

void get_why(const CallPtr& call) {
  call->read([call](store::Reader& reader) {
    const auto row = readable_job(*call, reader);
    if (!row) return;
    call->look([call, row = *row](const Change& now) {
      const Value job = job_document(row, reason_of(now, row.id));
      Value why = Value::map({{"id", *job.find("id")}, {"state", *job.find("state")}});
      for (const char* const key : {"reason", "planned"}) {
        if (const Value* const value = job.find(key)) why.set(key, *value);
      }
      call->answer(json(why));
    });
  });
}

// ---- lists

const std::vector<std::pair<std::string, std::vector<store::JobState>>>& state_filters() {
  using store::JobState;
  static const std::vector<std::pair<std::string, std::vector<JobState>>> kFilters = {
      {"active", store::live_states()},
      {"finished", store::final_states()},
      {"all", {}},
      {"waiting", {JobState::kWaiting, JobState::kHeld}},
      {"held", {JobState::kHeld}},
      {"running", {JobState::kLaunching, JobState::kRunning, JobState::kStopping}},
      {"completed", {JobState::kCompleted}},
      {"failed", {JobState::kFailed}},
      {"cancelled", {JobState::kCancelled}},
      {"timed_out", {JobState::kTimedOut}},
      {"rejected", {JobState::kRejected}}};
  return kFilters;
}

const std::vector<std::pair<std::string, store::JobOrder>>& job_orders() {
  using store::JobOrder;
  static const std::vector<std::pair<std::string, JobOrder>> kOrders = {
      {"id", JobOrder::kId},           {"name", JobOrder::kName},
      {"queue", JobOrder::kQueue},     {"user", JobOrder::kUser},
      {"state", JobOrder::kState},     {"priority", JobOrder::kPriority},
      {"gpus", JobOrder::kGpus},       {"submitted", JobOrder::kSubmitted},
      {"started", JobOrder::kStarted}, {"ended", JobOrder::kEnded}};
  return kOrders;
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return names;
}

// The parameters were checked against the schema: the names are in the tables.
template <class Table>
auto look_up(const Table& table, const std::string& name) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& one) { return one.first == name; })
      ->second;
}

store::JobQuery query_of(const Call& call) {
  store::JobQuery query;
  const std::string state = call.query("state");
  query.states = look_up(state_filters(), state.empty() ? "active" : state);
  query.user = call.query("user");
  query.queue = call.query("queue");
  query.name = call.query("name");
  std::string sort = call.query("sort");
  query.descending = sort.starts_with('-');
  if (query.descending) sort.erase(0, 1);
  if (!sort.empty()) query.order = look_up(job_orders(), sort);
  query.limit = call.limit();
  query.more = call.query("continue");
  return query;
}

void list_jobs(const CallPtr& call) {
  call->read([call](store::Reader& reader) {
    auto page = reader.jobs(query_of(*call));
    if (!page) return call->refuse(problem(400, page.error().message));
    std::erase_if(page->jobs, [&](const store::JobRow& row) {
      return call->forbidden(access::Action::kSeeJob, row.queue, row.user).has_value();
    });
    call->look([call, page = std::move(*page)](const Change& now) {
      Value items = Value::list();
      for (const store::JobRow& row : page.jobs) {
        const bool waits =
            row.state == store::JobState::kWaiting || row.state == store::JobState::kHeld;
        items.items.push_back(job_document(row, waits ? reason_of(now, row.id) : std::nullopt));
      }
      call->answer(json(page_document(std::move(items), page.more, now.now())));
    });
  });
}

// ---- submission

// The queue of a job that names none: the only one that jobs may enter.
std::string only_queue(const schedule::State& state) {
  std::string name;
  for (std::size_t q = 0; q < state.queues().size(); ++q) {
    const schedule::QueueNode& queue = state.queues()[schedule::QueueId{q}];
    if (!queue.leaf()) continue;
    if (!name.empty()) return "";
    name = queue.name;
  }
  return name;
}

Outcome submit(const Call& call, Change& change, model::Job job) {
  if (job.queue.empty()) job.queue = only_queue(change.state());
  if (job.queue.empty()) {
    return tl::unexpected(problem(422, "queue: which one? headroom queues lists them"));
  }
  if (auto no = call.forbidden(access::Action::kSubmit, job.queue, job.user)) {
    return tl::unexpected(*no);
  }
  const JobId id{change.next_job(), -1};
  const model::JobSubmitted event{.id = id, .job = job};
  const auto ok = call.is_dry_run() ? change.try_all({event}) : change.record(event);
  if (!ok) return tl::unexpected(problem(422, ok.error().message));
  Value made = Value::map({{"id", Value::string(model::to_text(id))},
                           {"queue", Value::string(job.queue)},
                           {"user", Value::string(job.user)},
                           {"dry_run", Value::boolean(call.is_dry_run())}});
  net::Response response = json(made, call.is_dry_run() ? 200 : 201);
  if (!call.is_dry_run()) {
    response.headers.emplace_back("Location", "/api/v1/jobs/" + model::to_text(id));
  }
  return response;
}

void post_job(const CallPtr& call) {
  const net::Request& request = call->request();
  const bool is_json = request.header("Content-Type").starts_with("application/json");
  auto jobs = is_json ? formats::read_job_json("body", request.body, call->services().known)
                      : formats::read_job_yaml("body", request.body, call->services().known);
  if (!jobs) return call->refuse(invalid_body(jobs.error()));
  if (jobs->size() != 1) {
    return call->refuse(
        problem(422, fmt::format("body: one job in a request; there are {}", jobs->size())));
  }
  model::Job job = std::move(jobs->front());
  if (job.user.empty()) job.user = call->who().user;
  call->change("job " + job.job,
               [call, job](Change& change) { return submit(*call, change, job); });
}

Parameter id_parameter() { return {"id", "1041, or 1041.7 of an array", text()}; }

std::vector<std::string> sort_names() {
  std::vector<std::string> names;
  for (const std::string& one : names_of(job_orders())) {
    names.push_back(one);
    names.push_back("-" + one);
  }
  return names;
}

}  // namespace

std::optional<store::JobRow> readable_job(Call& call, store::Reader& reader) {
  const auto id = model::parse_job_id(call.value(0));
  if (!id) {
    call.refuse(not_found("job '" + call.value(0) + "' (1041, or 1041.7 of an array)"));
    return std::nullopt;
  }
  const auto found = reader.job(*id);
  if (!found) {
    call.refuse(problem(500, found.error().message));
  } else if (!*found) {
    call.refuse(not_found("job " + model::to_text(*id)));
  } else if (auto no = call.forbidden(access::Action::kSeeJob, (*found)->queue, (*found)->user)) {
    call.refuse(*no);
  } else {
    return **found;
  }
  return std::nullopt;
}

std::vector<Route> job_routes() {
  const Value submitted = object({{"id", text(), ""},
                                  {"queue", text(), ""},
                                  {"user", text(), ""},
                                  {"dry_run", flag(), "it was checked only"}});
  return {
      {.method = "GET",
       .path = "/api/v1/jobs",
       .operation = "listJobs",
       .says = "Jobs, by default those that have not ended",
       .parameters = {{"state", "default: active", text_one_of(names_of(state_filters()))},
                      {"user", "", text()},
                      {"queue", "it, and those below it", text()},
                      {"name", "* and ? stand for any characters", text()},
                      {"sort", "-: descending", text_one_of(sort_names())},
                      limit_parameter(),
                      continue_parameter()},
       .answer = {"a page of jobs", "application/json", page_of("Job")},
       .handle = list_jobs},
      {.method = "POST",
       .path = "/api/v1/jobs",
       .operation = "submitJob",
       .says = "Submits a job; answered when it is durable",
       .parameters = {dry_run_parameter()},
       .bodies = {{"", "application/json", reference("JobSpec")}, {"", "application/yaml", text()}},
       .status = 201,
       .answer = {"its id", "application/json", submitted},
       .problems = {409, 415, 422},
       .handle = post_job},
      {.method = "GET",
       .path = "/api/v1/jobs/{id}",
       .operation = "getJob",
       .says = "A job: what was asked, what happened, where it ran",
       .parameters = {id_parameter()},
       .answer = {"the job", "application/json", reference("JobDetail")},
       .problems = {404},
       .handle = get_job},
      {.method = "GET",
       .path = "/api/v1/jobs/{id}/why",
       .operation = "whyJob",
       .says = "Why a job waits, with numbers",
       .parameters = {id_parameter()},
       .answer = {"the reason", "application/json", reference("Why")},
       .problems = {404},
       .handle = get_why}};
}

}  // namespace headroom::server::api

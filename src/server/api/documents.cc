#include "server/api/documents.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/job_codec.h"
#include "formats/time.h"

namespace headroom::server::api {

using formats::Value;
using store::JobState;

namespace {

constexpr double kMilliMsOfHour = 1000.0 * 3'600'000.0;

Value texts(const std::vector<std::string>& words) {
  Value list = Value::list();
  for (const std::string& word : words) list.items.push_back(Value::string(word));
  return list;
}

void set_time(Value& document, const char* key, base::Time time) {
  if (time > base::Time{}) document.set(key, time_value(time));
}

std::string outcome_name(store::AttemptOutcome outcome) {
  switch (outcome) {
    case store::AttemptOutcome::kOpen:
      return "open";
    case store::AttemptOutcome::kCompleted:
      return "completed";
    case store::AttemptOutcome::kFailed:
      return "failed";
    case store::AttemptOutcome::kStopped:
      return "stopped";
    case store::AttemptOutcome::kTimedOut:
      return "timed_out";
    case store::AttemptOutcome::kLost:
      return "lost";
  }
  return "open";
}

std::string event_name(store::TimelineEntry::What what) {
  using What = store::TimelineEntry::What;
  switch (what) {
    case What::kHeld:
      return "held";
    case What::kReleased:
      return "released";
    case What::kChanged:
      return "changed";
    case What::kCancelled:
      return "cancelled";
    case What::kSlipped:
      return "slipped";
    case What::kTasksLost:
      return "tasks lost";
    case What::kTasksJoined:
      return "tasks joined";
    case What::kSubmitted:
      return "submitted";
    case What::kPlaced:
      return "placed";
    case What::kStarted:
      return "started";
    case What::kStopping:
      return "stopping";
    case What::kAttemptEnded:
      return "attempt ended";
    case What::kFinished:
      return "finished";
  }
  return "changed";
}

Value attempt_document(const store::AllocationRow& row) {
  Value one =
      Value::map({{"attempt", Value::number(row.id.attempt)}, {"placed", time_value(row.placed)}});
  set_time(one, "started", row.started);
  set_time(one, "ended", row.ended);
  one.set("outcome", Value::string(outcome_name(row.outcome)));
  if (row.outcome == store::AttemptOutcome::kCompleted ||
      row.outcome == store::AttemptOutcome::kFailed) {
    one.set("exit_code", Value::number(row.exit_code));
  }
  if (row.signal != 0) one.set("signal", Value::number(row.signal));
  if (row.out_of_memory) one.set("out_of_memory", Value::boolean(true));
  if (row.stopped) one.set("stopped", Value::string(stop_name(*row.stopped)));
  if (!row.detail.empty()) one.set("detail", Value::string(row.detail));
  Value& tasks = one.set("tasks", Value::list());
  for (std::size_t i = 0; i < row.placement.size(); ++i) {
    const model::TaskPlacement& task = row.placement[i];
    Value gpus = Value::list();
    for (const model::DeviceUse& use : task.devices) gpus.items.push_back(Value::number(use.gpu));
    tasks.items.push_back(
        Value::map({{"group", Value::number(task.group)},
                    {"task", Value::number(task.task)},
                    {"node", Value::string(i < row.nodes.size() ? row.nodes[i] : std::string())},
                    {"gpus", std::move(gpus)}}));
  }
  return one;
}

// The jobs with a task on the node, each once.
std::vector<std::string> jobs_on(const schedule::State& state, model::NodeId node, int gpu = -1) {
  std::vector<model::JobId> ids;
  const schedule::ClusterState& cluster = state.cluster();
  for (auto at = cluster.first_allocation(node); at.valid(); at = cluster.next_allocation(at)) {
    const unsigned mask = cluster.allocation(at).devices.mask;
    if (gpu >= 0 && (mask >> gpu & 1u) == 0) continue;
    ids.push_back(state.job(state.task(at).job).spec->id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<std::string> texts;
  for (const model::JobId id : ids) texts.push_back(model::to_text(id));
  return texts;
}

std::string gpu_state(schedule::Device gpu, bool failed) {
  if (failed) return "down";
  if (gpu.is_idle()) return "idle";
  if (gpu.is_mig()) return "mig";
  return gpu.shareable_milli() > 0 ? "shared" : "allocated";
}

Value hours(std::int64_t milli_ms) {
  return Value::plain(fmt::format("{:.6f}", static_cast<double>(milli_ms) / kMilliMsOfHour));
}

}  // namespace

Value time_value(base::Time time) { return Value::string(formats::print_time(time)); }

Value milli_value(std::int64_t milli) {
  if (milli % 1000 == 0) return Value::number(milli / 1000);
  return Value::plain(fmt::format("{:.3f}", static_cast<double>(milli) / 1000.0));
}

std::string state_name(JobState state) {
  switch (state) {
    case JobState::kWaiting:
      return "waiting";
    case JobState::kHeld:
      return "held";
    case JobState::kLaunching:
      return "launching";
    case JobState::kRunning:
      return "running";
    case JobState::kStopping:
      return "stopping";
    case JobState::kCompleted:
      return "completed";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
    case JobState::kTimedOut:
      return "timed_out";
    case JobState::kRejected:
      return "rejected";
  }
  return "waiting";
}

std::string stop_name(model::StopJob::Reason reason) {
  using Reason = model::StopJob::Reason;
  switch (reason) {
    case Reason::kCancelled:
      return "cancelled";
    case Reason::kTimeLimit:
      return "time limit";
    case Reason::kShrunk:
      return "shrunk";
    case Reason::kConsolidated:
      return "consolidated";
    case Reason::kReclaimed:
      return "reclaimed";
    case Reason::kPreempted:
      return "preempted";
    case Reason::kNodeLost:
      return "node lost";
    case Reason::kRequeued:
      return "requeued";
  }
  return "cancelled";
}

std::string etag_of(const store::JobRow& row) { return fmt::format("\"{}\"", row.changed); }

Value job_document(const store::JobRow& row, const std::optional<ReasonText>& reason) {
  Value job = Value::map({{"id", Value::string(model::to_text(row.id))},
                          {"name", Value::string(row.name)},
                          {"queue", Value::string(row.queue)},
                          {"user", Value::string(row.user)},
                          {"kind", Value::string(model::to_text(row.kind))},
                          {"state", Value::string(state_name(row.state))},
                          {"priority", Value::number(row.priority)},
                          {"tasks", Value::number(row.tasks)},
                          {"gpus", milli_value(row.gpus.value())},
                          {"gpu_model", Value::string(row.gpu_model)},
                          {"submitted", time_value(row.submitted)}});
  set_time(job, "started", row.started);
  set_time(job, "ended", row.ended);
  if (row.state == JobState::kWaiting) set_time(job, "planned", row.planned);
  job.set("attempt", Value::number(row.attempt));
  job.set("nodes", texts(row.nodes));
  std::optional<ReasonText> why = reason;
  if (row.rejected) why = {"never", rejection_text(*row.rejected, row.needs, row.most)};
  if (why && !why->code.empty()) {
    job.set("reason",
            Value::map({{"code", Value::string(why->code)}, {"text", Value::string(why->text)}}));
  }
  if (row.state == JobState::kCompleted || row.state == JobState::kFailed) {
    job.set("exit_code", Value::number(row.exit_code));
  }
  if (row.signal != 0) job.set("signal", Value::number(row.signal));
  job.set("etag", Value::string(etag_of(row)));
  return job;
}

void add_detail(Value& document, const model::Job& spec,
                const std::vector<store::TimelineEntry>& timeline,
                const std::vector<store::AllocationRow>& attempts) {
  document.set("spec", formats::job_codec().write(spec));
  Value& events = document.set("timeline", Value::list());
  for (const store::TimelineEntry& entry : timeline) {
    Value one = Value::map(
        {{"time", time_value(entry.time)}, {"event", Value::string(event_name(entry.what))}});
    if (entry.attempt > 0) one.set("attempt", Value::number(entry.attempt));
    if (!entry.detail.empty()) one.set("detail", Value::string(entry.detail));
    events.items.push_back(std::move(one));
  }
  Value& list = document.set("attempts", Value::list());
  for (const store::AllocationRow& row : attempts) list.items.push_back(attempt_document(row));
}

Value node_document(const schedule::State& state, model::NodeId id) {
  const model::Cluster& cluster = state.cluster().cluster();
  const model::NodeShape& shape = cluster.shape(id);
  const schedule::NodeState& node = state.cluster().node(id);
  std::int64_t free = 0;
  for (int g = 0; g < shape.gpus; ++g) {
    free += node.gpus[static_cast<std::size_t>(g)].shareable_milli();
  }
  const char* const where = state.node_failed(id) ? "failed"
                            : node.schedulable    ? "ready"
                                                  : "drained";
  std::vector<std::string> labels;
  for (const auto& [key, value] : shape.labels) labels.push_back(key + "=" + value);
  const std::string model =
      shape.gpu_model.valid() ? cluster.gpu_models[shape.gpu_model.index()].name : std::string();
  return Value::map({{"name", Value::string(cluster.nodes[id.index()].name)},
                     {"pool", Value::string(shape.pool)},
                     {"state", Value::string(where)},
                     {"gpu_model", Value::string(model)},
                     {"gpus", Value::number(shape.gpus)},
                     {"gpus_free", milli_value(free)},
                     {"cpus", milli_value(shape.cpu.value())},
                     {"cpus_free", milli_value(node.cpu.value())},
                     {"memory_bytes", Value::number(shape.memory.value())},
                     {"memory_free_bytes", Value::number(node.memory.value())},
                     {"labels", texts(labels)},
                     {"jobs", texts(jobs_on(state, id))}});
}

Value gpu_documents(const schedule::State& state, model::NodeId id) {
  const model::Cluster& cluster = state.cluster().cluster();
  const model::NodeShape& shape = cluster.shape(id);
  Value list = Value::list();
  for (int g = 0; g < shape.gpus; ++g) {
    const schedule::Device gpu = state.cluster().node(id).gpus[static_cast<std::size_t>(g)];
    list.items.push_back(
        Value::map({{"node", Value::string(cluster.nodes[id.index()].name)},
                    {"index", Value::number(g)},
                    {"model", Value::string(cluster.gpu_models[shape.gpu_model.index()].name)},
                    {"state", Value::string(gpu_state(gpu, state.node_failed(id)))},
                    {"free", milli_value(gpu.shareable_milli())},
                    {"jobs", texts(jobs_on(state, id, g))}}));
  }
  return list;
}

namespace {

// Whether `queue` is `top` or below it.
bool is_within(const schedule::State& state, schedule::QueueId queue, schedule::QueueId top) {
  while (queue.valid() && queue != top) queue = state.queues()[queue].parent;
  return queue.valid();
}

Value queue_pools(const schedule::State& state, schedule::QueueId queue) {
  const schedule::QueueTree& tree = state.queues();
  Value pools = Value::list();
  for (std::size_t p = 0; p < tree.pools().size(); ++p) {
    const schedule::PoolId pool{p};
    const std::int64_t guarantee = tree[queue].guarantee[p];
    const std::int64_t limit = tree[queue].limit[p];
    const std::int64_t held = state.held(queue, pool);
    const std::int64_t wanted = state.wanted(queue, pool);
    const bool cores = pool == state.cpu_pool();
    if (cores && guarantee == 0 && held == 0 && wanted == 0) continue;
    Value one = Value::map({{"pool", Value::string(tree.pools()[p])},
                            {"unit", Value::string(cores ? "cores" : "gpus")},
                            {"guarantee", milli_value(guarantee)}});
    if (limit != schedule::kNoLimit) one.set("limit", milli_value(limit));
    one.set("held", milli_value(held));
    one.set("borrowed", milli_value(std::max<std::int64_t>(0, held - guarantee)));
    one.set("wanted", milli_value(wanted));
    pools.items.push_back(std::move(one));
  }
  return pools;
}

}  // namespace

Value queue_document(const schedule::State& state, schedule::QueueId queue) {
  const schedule::QueueNode& node = state.queues()[queue];
  std::int64_t waiting = 0;
  for (std::size_t q = 0; q < state.queues().size(); ++q) {
    const schedule::QueueId id{q};
    if (is_within(state, id, queue)) waiting += std::ssize(state.waiting(id));
  }
  const std::int64_t running = std::count_if(
      state.running().begin(), state.running().end(),
      [&](schedule::JobSlot slot) { return is_within(state, state.job(slot).spec->queue, queue); });
  return Value::map({{"name", Value::string(node.name)},
                     {"weight", Value::number(node.weight)},
                     {"priority", Value::number(node.priority)},
                     {"running", Value::number(running)},
                     {"waiting", Value::number(waiting)},
                     {"pools", queue_pools(state, queue)}});
}

Value usage_document(const store::Usage& usage, const store::UsageQuery& query) {
  Value items = Value::list();
  for (const store::UsageRow& row : usage.rows) {
    Value one = Value::map();
    if (query.by_queue) one.set("queue", Value::string(row.queue));
    if (query.by_user) one.set("user", Value::string(row.user));
    if (row.kind) one.set("kind", Value::string(model::to_text(*row.kind)));
    if (query.by_gpu_model) one.set("gpu_model", Value::string(row.gpu_model));
    one.set("allocated_gpu_h", hours(row.parts.allocated));
    one.set("useful_gpu_h", hours(row.parts.useful));
    one.set("preempted_gpu_h", hours(row.parts.preempted));
    one.set("failed_gpu_h", hours(row.parts.failed));
    one.set("cancelled_gpu_h", hours(row.parts.cancelled));
    one.set("idle_held_gpu_h", hours(row.parts.idle_held));
    one.set("running_gpu_h", hours(row.parts.running));
    one.set("allocated_core_h", hours(row.parts.cpu_allocated));
    items.items.push_back(std::move(one));
  }
  Value capacity = Value::list();
  for (const store::CapacityRow& row : usage.capacity) {
    capacity.items.push_back(Value::map({{"gpu_model", Value::string(row.gpu_model)},
                                         {"capacity_gpu_h", hours(row.capacity)},
                                         {"down_gpu_h", hours(row.down)},
                                         {"node_h", hours(row.node_time * 1000)}}));
  }
  return Value::map({{"from", time_value(query.from)},
                     {"to", time_value(query.to)},
                     {"items", std::move(items)},
                     {"capacity", std::move(capacity)}});
}

Value token_document(const store::Token& token) {
  Value one = Value::map({{"id", Value::string(token.id)},
                          {"name", Value::string(token.name)},
                          {"user", Value::string(token.user)},
                          {"scopes", texts(token.scopes)},
                          {"created", time_value(token.created)}});
  set_time(one, "expires", token.expires);
  set_time(one, "last_used", token.last_used);
  one.set("revoked", Value::boolean(token.revoked));
  return one;
}

Value audit_document(const store::AuditEntry& entry) {
  return Value::map({{"time", time_value(entry.time)},
                     {"actor", Value::string(entry.actor)},
                     {"via", Value::string(entry.via)},
                     {"address", Value::string(entry.address)},
                     {"verb", Value::string(entry.verb)},
                     {"object", Value::string(entry.object)},
                     {"outcome", Value::string(entry.outcome)},
                     {"detail", Value::string(entry.detail)},
                     {"request", Value::string(entry.request)}});
}

}  // namespace headroom::server::api

// Records of jobs that hold nothing: they come, change, are held, rejected, cancelled.
#include <fmt/format.h>

#include "store/projection_writer.h"

namespace headroom::store {

namespace {

// The GPUs that a job wants: all of them, and the models that it would take.
std::pair<std::int64_t, std::string> wish_of(const model::Job& job) {
  std::int64_t milli = 0;
  std::string models;
  for (const model::TaskGroup& group : job.groups) {
    milli += group.request.nominal_gpu().value() * group.tasks;
    if (group.request.gpu.kind == model::GpuRequest::Kind::kNone || !models.empty()) continue;
    models = fmt::format("{}", fmt::join(group.request.gpu_models, ","));
  }
  return {milli, models};
}

}  // namespace

Projection::Writer::JobNow Projection::Writer::job_now(model::JobId id) {
  if (!to_.find_job.first(id.number, id.element)) {
    db_.fail(fmt::format("record {}: of job {}, which was never submitted", sequence_, id.number));
    return {};
  }
  const JobNow now{.state = static_cast<JobState>(to_.find_job.integer(0)),
                   .attempt = to_.find_job.integer(1),
                   .retries = to_.find_job.integer(2),
                   .failures = to_.find_job.integer(3),
                   .cancelled = to_.find_job.integer(4) != 0,
                   .spec = to_.find_job.integer(5),
                   .planned = to_.find_job.integer(6)};
  to_.find_job.reset();
  return now;
}

model::Job Projection::Writer::spec(std::int64_t id) {
  if (!to_.find_spec.first(id)) {
    db_.fail(fmt::format("record {}: spec {} is not there", sequence_, id));
    return {};
  }
  base::Reader in(to_.find_spec.blob(1), to_.find_spec.integer(0));
  auto job = in.get<model::Job>();
  to_.find_spec.reset();
  return job;
}

void Projection::Writer::keep_spec(const model::Job& job) {
  to_.insert_spec.run(sequence_, model::kArchiveVersion, Blob{bytes_of(job)});
}

void Projection::Writer::note(model::JobId id, What what, std::int64_t attempt,
                              const std::string& detail) {
  to_.insert_event.run(id.number, id.element, sequence_, now_, what, attempt, detail);
}

void Projection::Writer::operator()(const model::JobSubmitted& event) {
  const model::Job& job = event.job;
  keep_spec(job);
  const auto [gpus, models] = wish_of(job);
  const std::string& name = job.name.empty() ? job.job : job.name;
  const JobState state = job.hold ? JobState::kHeld : JobState::kWaiting;
  const std::int64_t first = job.array ? job.array->first : event.id.element;
  const std::int64_t last = job.array ? job.array->last : event.id.element;
  for (std::int64_t element = first; element <= last; ++element) {
    to_.insert_job.run(event.id.number, element, name, job.queue, job.user, job.kind, state,
                       job.priority, job.tasks(), gpus, models, now_, job.retries, sequence_,
                       sequence_);
  }
}

void Projection::Writer::operator()(const model::JobChanged& event) {
  const model::Job& job = event.job;
  keep_spec(job);
  const auto [gpus, models] = wish_of(job);
  to_.change_job.run(job.name.empty() ? job.job : job.name, job.queue, job.user, job.kind,
                     job.priority, job.tasks(), gpus, models, job.retries, sequence_, sequence_,
                     event.id.number, event.id.element);
  note(event.id, What::kChanged, 0, "");
}

void Projection::Writer::operator()(const model::JobHeld& event) {
  set_state(event.id, event.held ? JobState::kHeld : JobState::kWaiting);
  note(event.id, event.held ? What::kHeld : What::kReleased, 0, "");
}

void Projection::Writer::operator()(const model::JobCancelled& event) {
  const JobNow job = job_now(event.id);
  to_.cancel_job.run(sequence_, event.id.number, event.id.element);
  note(event.id, What::kCancelled, 0, event.by);
  if (job.state == JobState::kLaunching || job.state == JobState::kRunning) {
    told_to_stop({event.id, job.attempt}, StopReason::kCancelled, {});
  } else if (job.state != JobState::kStopping) {
    finish(event.id, JobState::kCancelled);
  }
}

void Projection::Writer::finish(model::JobId id, JobState state) {
  to_.finish_job.run(state, now_, sequence_, id.number, id.element);
}

void Projection::Writer::operator()(const model::ReserveFor& decision) {
  const JobNow job = job_now(decision.job);
  if (job.planned == decision.start.value() && !decision.slipped) return;
  to_.plan_job.run(decision.start, sequence_, decision.job.number, decision.job.element);
  if (!decision.slipped) return;
  note(decision.job, What::kSlipped, 0, std::to_string(decision.start.value()));
}

void Projection::Writer::operator()(const model::RejectJob& decision) {
  to_.reject_job.run(static_cast<std::int64_t>(decision.reason) + 1, decision.needs, decision.most,
                     decision.job.number, decision.job.element);
  finish(decision.job, JobState::kRejected);
}

}  // namespace headroom::store

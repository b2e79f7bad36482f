#include "simulate/work.h"

#include <algorithm>

namespace headroom::simulate {

Work::Work(const ReplayInput& input, ReplayResult& result)
    : input_(input), result_(result), of_(input.jobs->jobs.size()) {
  for (std::size_t i = 0; i < of_.size(); ++i) of_[i].left = input.jobs->jobs[i].run;
}

base::Time Work::begin(std::uint32_t job, base::Time now, std::int64_t gpu_milli,
                       std::int32_t nodes) {
  const base::Duration own = input_.jobs->jobs[job].job.restart_cost;
  const base::Duration cost = own > base::Duration{0} ? own : input_.restart_cost;
  return start(job, now, of_[job].version > 0 ? cost : base::Duration{0}, gpu_milli, nodes);
}

base::Time Work::join(std::uint32_t job, base::Time now, std::int64_t gpu_milli,
                      std::int32_t nodes) {
  const base::Duration ran = base::between(of_[job].since, now);
  const base::Duration overhead = std::min(of_[job].overhead, ran);
  const base::Duration unpaid = of_[job].overhead - overhead;
  leave(job, now, ran - overhead, StretchEnd::kJoined);
  return start(job, now, unpaid, gpu_milli, nodes);
}

base::Time Work::start(std::uint32_t job, base::Time now, base::Duration overhead,
                       std::int64_t gpu_milli, std::int32_t nodes) {
  Progress& work = of_[job];
  work.overhead = overhead;
  work.since = now;
  work.gpu_milli = gpu_milli;
  work.nodes = nodes;
  work.running = true;
  ++work.version;
  return now + work.overhead + work.left;
}

// What of this stretch is safe: whole checkpoint intervals after the restart cost.
base::Duration Work::safe(std::uint32_t job, base::Time now) const {
  const Progress& work = of_[job];
  const base::Duration worked = base::between(work.since + work.overhead, now);
  if (worked <= base::Duration{0}) return base::Duration{0};
  const auto& checkpoint = input_.jobs->jobs[job].job.checkpoint;
  const base::Duration every = checkpoint && checkpoint->every > base::Duration{0}
                                   ? checkpoint->every
                                   : input_.checkpoint_every;
  return every * (worked / every);
}

void Work::leave(std::uint32_t job, base::Time now, base::Duration kept, StretchEnd how) {
  Progress& work = of_[job];
  const base::Duration ran = base::between(work.since, now);
  work.left -= kept;
  work.running = false;
  ++work.version;
  result_.jobs[job].ran += ran;
  result_.jobs[job].lost += ran - kept;
  result_.gpu.useful += kept.value() * work.gpu_milli;
  if (ran <= base::Duration{0}) return;
  result_.stretches.push_back({.job = job,
                               .start = work.since,
                               .end = now,
                               .restart = std::min(work.overhead, ran),
                               .kept = kept,
                               .gpu_milli = work.gpu_milli,
                               .nodes = work.nodes,
                               .how = how});
}

}  // namespace headroom::simulate

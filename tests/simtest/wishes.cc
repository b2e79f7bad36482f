#include "tests/simtest/wishes.h"

namespace headroom::simtest {

namespace {

constexpr std::int64_t kMinute = 60'000;

template <class T>
const T& pick(base::Rng& rng, const std::vector<T>& from) {
  return from[rng.below(from.size())];
}

}  // namespace

Wishes::Wishes(base::Rng& rng, const Site& site) : rng_(rng), site_(site) {
  for (std::int64_t left = rng.between(6, 10); left > 0; --left) {
    requests_.push_back(random_request());
  }
}

model::GpuRequest Wishes::random_gpu() {
  static const std::vector<std::string> profiles = {"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb",
                                                    "3g.40gb", "4g.40gb",    "7g.80gb"};
  static const std::vector<std::int64_t> shares = {100, 180, 250, 333, 500, 999};
  switch (rng_.below(10)) {
    case 0:
      return {};
    case 1:
      return model::GpuRequest::fraction(base::GpuMilli{pick(rng_, shares)});
    case 2:
      return model::GpuRequest::amount(base::gigabytes(rng_.between(1, 40)));
    case 3:
    case 4:
      return model::GpuRequest::mig(pick(rng_, profiles));
    case 5:
    case 6:
      return model::GpuRequest::whole(8);
    default:
      return model::GpuRequest::whole(static_cast<int>(rng_.between(1, 5)));
  }
}

model::Request Wishes::random_request() {
  model::Request request;
  request.cpu = base::CpuMilli{500 * rng_.between(0, 16)};
  request.memory = base::gibibytes(rng_.between(0, 64));
  request.gpu = random_gpu();
  if (rng_.chance(1, 8)) request.gpu_models = {rng_.chance(1, 2) ? "H100" : "L4"};
  if (rng_.chance(1, 8)) request.gpu_models = {"A100-80-SXM", "H100"};
  if (rng_.chance(1, 12)) request.min_gpu_memory = base::gigabytes(40);
  if (rng_.chance(1, 12)) request.labels.emplace_back("zone", "a");
  request.exclusive = rng_.chance(1, 12);
  return request;
}

// One task, a gang, a launcher with workers, an array.
void Wishes::shape(model::Job& job) {
  model::TaskGroup& group = job.groups.front();
  group.request = pick(rng_, requests_);
  const std::uint64_t dice = rng_.below(20);
  if (dice < 10) return;
  if (dice < 12) {
    job.array = model::ArraySpec{
        .first = 0, .last = rng_.between(0, 4), .most_running = rng_.between(0, 2)};
    return;
  }
  group.tasks = rng_.between(2, rng_.chance(1, 4) ? 12 : 5);
  if (dice < 14) {
    model::TaskGroup launcher{.name = "launcher", .tasks = 1, .request = {}};
    launcher.request.cpu = base::CpuMilli{1000};
    group.name = "workers";  // before the group moves
    job.groups.insert(job.groups.begin(), launcher);
  } else if (dice < 15) {
    group.name = "some";  // before the group moves
    job.groups.push_back({.name = "more", .tasks = 1, .request = pick(rng_, requests_)});
  }
  // The fewest that may run have some of each group.
  const std::int64_t least = job.groups.size() > 1 ? job.groups.front().tasks + 1 : 1;
  if (rng_.chance(1, 2)) {
    job.gang = rng_.between(least, job.tasks());
  } else if (rng_.chance(1, 4)) {
    job.elastic = model::ElasticSpec{.min = rng_.between(least, job.tasks()), .max = job.tasks()};
  }
  topology(job);
}

void Wishes::topology(model::Job& job) {
  if (!rng_.chance(1, 2)) return;
  const auto level = [&] { return static_cast<model::Level>(rng_.below(model::kLevels)); };
  model::TopologySpec wish;
  if (rng_.chance(2, 3)) wish.required = level();
  if (!wish.required || rng_.chance(1, 4)) wish.preferred = level();
  const std::int64_t tasks = job.groups.back().tasks;
  if (job.groups.size() == 1 && tasks % 2 == 0 && rng_.chance(1, 3)) wish.segment = 2;
  job.topology = wish;
}

model::JobSubmitted Wishes::next(std::int64_t number, base::Time now,
                                 const std::vector<std::int64_t>& earlier) {
  static const std::vector<std::string> users = {"ana", "bo", "cy"};
  model::Job job;
  job.job = "job";
  job.queue = pick(rng_, site_.leaves);
  job.user = pick(rng_, users);
  job.kind = rng_.chance(1, 6) ? model::JobKind::kService : model::JobKind::kBatch;
  if (rng_.chance(1, 8)) job.preemptible = false;
  shape(job);
  job.priority = rng_.chance(1, 5) ? rng_.between(-1, 2) : 0;
  if (rng_.chance(4, 5)) job.time = base::Duration{rng_.between(5, 300) * kMinute};
  if (rng_.chance(1, 4)) job.expected = base::Duration{rng_.between(5, 200) * kMinute};
  job.retries = rng_.between(0, 2);
  job.hold = rng_.chance(1, 12);
  if (rng_.chance(1, 10)) job.begin = now + base::Duration{rng_.between(1, 120) * kMinute};
  if (!earlier.empty() && rng_.chance(1, 6)) {
    const auto kind = static_cast<model::Dependency::Kind>(rng_.below(4));
    job.after.push_back({kind, pick(rng_, earlier)});
  }
  model::JobSubmitted event{.id = {number, -1}, .job = std::move(job), .speed_permille = {}};
  if (rng_.chance(1, 4)) event.planned = base::Duration{rng_.between(5, 200) * kMinute};
  return event;
}

}  // namespace headroom::simtest

#include "simulate/job_stream.h"

#include <algorithm>
#include <array>

#include "simulate/draws.h"

namespace headroom::simulate {

namespace {

using base::Duration;
using model::HistoricJob;

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kDay = 24 * (60 * kMinute);
constexpr Duration kShortest{10 * kSecond};
constexpr Duration kLongest{7 * kDay};

constexpr std::int64_t kUsers = 12;          // of a queue
constexpr std::uint64_t kJobsOfAThing = 10;  // on average
// Parts of the deviation, in tenths: 0.8^2 + 0.6^2 = 1.
constexpr std::int64_t kBetweenThings = 8;
constexpr std::int64_t kWithinAThing = 6;

// Limits that people write.
constexpr std::array<std::int64_t, 23> kRoundTimes = {
    1 * kMinute,   2 * kMinute,   5 * kMinute,   10 * kMinute,        15 * kMinute,  30 * kMinute,
    60 * kMinute,  90 * kMinute,  120 * kMinute, 180 * kMinute,       240 * kMinute, 360 * kMinute,
    480 * kMinute, 720 * kMinute, 1 * kDay,      36 * (60 * kMinute), 2 * kDay,      3 * kDay,
    5 * kDay,      7 * kDay,      10 * kDay,     14 * kDay,           28 * kDay};

// What a user works on.
struct Thing {
  std::string name;
  std::int64_t gpu_milli = 0;
  std::int64_t effect = 0;  // on the run time, in deviations
};

// 1.2 to 8 times the run, all factors alike on a logarithmic scale; the next round time above, if
// that is still within eight times.
Duration limit_of(Duration run, base::Rng& rng) {
  constexpr std::int64_t kLogOfRange = 1897;  // ln(8 / 1.2), in thousandths
  const std::int64_t wish =
      log_normal(run.value() * 6 / 5 / kSecond, kLogOfRange, rng.between(0, kNormalUnit)) * kSecond;
  const auto above = std::lower_bound(kRoundTimes.begin(), kRoundTimes.end(), wish);
  return Duration{above != kRoundTimes.end() && *above <= 8 * run.value() ? *above : *(above - 1)};
}

class Stream {
 public:
  Stream(const StreamSpec& spec, base::Rng& rng) : spec_(spec), rng_(rng), things_(kUsers) {
    for (std::int64_t rank = 1; rank <= kUsers; ++rank) users_.push_back(27'720 / rank);  // Zipf
    for (const SizeWeight& size : spec.sizes) sizes_.push_back(size.weight);
  }

  HistoricJob next() {
    const std::size_t user = weighted(rng_, users_);
    Thing& thing = things_[user];
    if (thing.name.empty() || rng_.chance(1, kJobsOfAThing)) thing = new_thing();
    HistoricJob job;
    job.job.job = thing.name;
    job.job.queue = spec_.queue;
    job.job.user = spec_.queue + (user < 9 ? "0" : "") + std::to_string(user + 1);
    job.job.kind = spec_.kind;
    job.job.groups = {tasks_for(thing.gpu_milli)};
    const std::int64_t z = (kBetweenThings * thing.effect + kWithinAThing * normal(rng_)) / 10;
    const std::int64_t seconds = log_normal(spec_.median.value() / kSecond, spec_.sigma, z);
    job.run = std::clamp(Duration{seconds * kSecond}, kShortest, kLongest);
    job.outcome = outcome();
    return job;
  }

 private:
  // Every second thing takes as much longer than the median as the one before took less.
  Thing new_thing() {
    const auto word = spec_.names[rng_.below(spec_.names.size())];
    effect_ = ++count_ % 2 == 0 ? -effect_ : normal(rng_);
    return {word + "-" + std::to_string(count_), spec_.sizes[weighted(rng_, sizes_)].gpu_milli,
            effect_};
  }

  model::Outcome outcome() {
    const std::uint64_t percent = rng_.below(100);
    if (percent < 12) return model::Outcome::kFailed;
    return percent < 18 ? model::Outcome::kCancelled : model::Outcome::kCompleted;
  }

  const StreamSpec& spec_;
  base::Rng& rng_;
  std::vector<Thing> things_;  // by user
  std::vector<std::int64_t> users_;
  std::vector<std::int64_t> sizes_;
  std::int64_t effect_ = 0;
  std::int64_t count_ = 0;
};

struct Model {
  const char* name;
  std::int64_t gpus;  // of a replica
  std::int64_t part;  // of the services' GPUs, in hundredths
};

constexpr std::array<Model, 4> kModels = {
    {{"chat-large", 4, 45}, {"code", 2, 30}, {"chat-small", 1, 15}, {"embed", 1, 10}}};

HistoricJob service(const std::string& queue, const Model& model, std::int64_t from,
                    std::int64_t to, base::Rng& rng) {
  HistoricJob job;
  job.job.job = model.name;
  job.job.queue = queue;
  job.job.user = queue + "-team";
  job.job.kind = model::JobKind::kService;
  job.job.groups = {tasks_for(model.gpus * 1000)};
  const Duration late{rng.between(0, 600) * kSecond};
  job.submit = kMonday + kHour * from + late;
  job.run = kHour * (to - from) - late;
  return job;
}

}  // namespace

std::int64_t gpu_time(const HistoricJob& job) {
  std::int64_t milli = 0;
  for (const model::TaskGroup& group : job.job.groups) {
    milli += group.tasks * group.request.nominal_gpu().value();
  }
  return milli * job.run.value();
}

model::TaskGroup tasks_for(std::int64_t gpu_milli) {
  const std::int64_t gpus = gpu_milli / 1000;
  const std::int64_t tasks = std::max<std::int64_t>(1, gpus / 8);
  const std::int64_t each = gpu_milli / tasks;
  model::TaskGroup group{.tasks = tasks};
  group.request.cpu = base::CpuMilli{8 * each};
  group.request.memory = base::mebibytes(std::int64_t{65'536} * each / 1000);
  group.request.gpu = each < 1000 ? model::GpuRequest::fraction(base::GpuMilli{each})
                                  : model::GpuRequest::whole(static_cast<int>(each / 1000));
  return group;
}

void add_stream(const StreamSpec& spec, std::int64_t work, const Week& week, base::Rng& rng,
                std::vector<HistoricJob>& jobs) {
  Stream stream(spec, rng);
  const std::size_t first = jobs.size();
  std::vector<base::Time> times;
  while (work > 0) {
    HistoricJob job = stream.next();
    const std::int64_t milli = gpu_time(job) / job.run.value();
    const std::int64_t left = (work + milli * kSecond - 1) / (milli * kSecond) * kSecond;
    job.run = std::max(kShortest, std::min(job.run, Duration{left}));
    job.job.time = limit_of(job.run, rng);
    work -= gpu_time(job);
    jobs.push_back(std::move(job));
    times.push_back(week.submission(rng));
  }
  std::sort(times.begin(), times.end());
  for (std::size_t i = 0; i < times.size(); ++i) jobs[first + i].submit = times[i];
}

void add_services(const std::string& queue, std::int64_t work, std::int64_t most_gpus,
                  const Week& week, base::Rng& rng, std::vector<HistoricJob>& jobs) {
  std::int64_t needs = 0;  // of one GPU at the peak, in thousandths of an hour
  for (std::int64_t hour = 0; hour < week.hours(); ++hour) needs += Week::service_need(hour);
  const std::int64_t peak = std::min(most_gpus, work / kHour.value() / needs);
  for (const Model& model : kModels) {
    const std::int64_t replicas = peak * model.part / 100 / model.gpus;
    for (std::int64_t replica = 0; replica < replicas; ++replica) {
      // It runs while more than `replica` are needed.
      const auto needed = [&](std::int64_t hour) {
        return hour < week.hours() && Week::service_need(hour) * replicas > 1000 * replica;
      };
      for (std::int64_t from = 0, to = 0; from < week.hours(); from = to + 1) {
        for (to = from; needed(to);) ++to;
        if (to > from) jobs.push_back(service(queue, model, from, to, rng));
      }
    }
  }
}

}  // namespace headroom::simulate

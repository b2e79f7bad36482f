#include "simulate/durations.h"

#include <algorithm>

namespace headroom::simulate {

namespace {

constexpr std::size_t kKept = 128;
constexpr std::size_t kEnough = 5;

std::int64_t size_of(const model::Job& job) {
  std::int64_t milli = 0;
  for (const model::TaskGroup& group : job.groups) {
    milli += group.tasks * group.request.nominal_gpu().value();
  }
  return milli;
}

}  // namespace

std::vector<Durations::Key> Durations::keys(const model::Job& job) {
  const std::int64_t size = size_of(job);
  return {{job.user, job.name.empty() ? job.job : job.name, job.queue, size},
          {job.user, "", "", size},
          {"", "", job.queue, size},
          {"", "", "", 0}};
}

void Durations::add(Sample& sample, std::int64_t value) {
  if (sample.ring.size() < kKept) {
    sample.ring.push_back(value);
  } else {
    std::int64_t& old = sample.ring[sample.oldest++ % kKept];
    sample.sorted.erase(std::lower_bound(sample.sorted.begin(), sample.sorted.end(), old));
    old = value;
  }
  sample.sorted.insert(std::upper_bound(sample.sorted.begin(), sample.sorted.end(), value), value);
}

void Durations::ended(const model::Job& job, base::Duration ran) {
  for (const Key& key : keys(job)) add(samples_[key], ran.value());
}

base::Duration Durations::quantile(const model::Job& job, std::int64_t permille) const {
  base::Duration found = job.time;
  for (const Key& key : keys(job)) {
    const auto sample = samples_.find(key);
    if (sample == samples_.end() || sample->second.sorted.size() < kEnough) continue;
    const auto& sorted = sample->second.sorted;
    const std::size_t last = sorted.size() - 1;
    found = base::Duration{sorted[last * static_cast<std::size_t>(permille) / 1000]};
    break;
  }
  if (job.time > base::Duration{0}) found = std::min(found, job.time);
  return found;
}

}  // namespace headroom::simulate

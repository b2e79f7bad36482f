#include "simulate/durations.h"

#include <algorithm>
#include <string_view>

#include "base/digest.h"
#include "simulate/fixed_log.h"

namespace headroom::simulate {

namespace {

constexpr std::size_t kKept = 512;
constexpr std::int64_t kLongest = std::int64_t{1} << 60;  // ms
constexpr std::int64_t kTrust = 30;  // samples that count as much as the larger group

std::int64_t size_of(const model::Job& job) {
  std::int64_t milli = 0;
  for (const model::TaskGroup& group : job.groups) {
    milli += group.tasks * group.request.nominal_gpu().value();
  }
  return milli;
}

std::int64_t log_of(base::Duration time) {
  const auto ms = static_cast<std::uint64_t>(std::clamp(time.value(), std::int64_t{1}, kLongest));
  return static_cast<std::int64_t>(log2_fixed(ms) >> (kLogBits - kPowerBits));
}

bool limited(const model::Job& job) { return job.time > base::Duration{0}; }

// What is added to a sample to get a run time.
std::int64_t scale_of(const model::Job& job) { return limited(job) ? log_of(job.time) : 0; }

template <class... Parts>
std::uint64_t digest_of(std::int64_t kind, const Parts&... parts) {
  base::Digest digest;
  digest.add(kind);
  (digest.add(parts), ...);
  return digest.value();
}

}  // namespace

std::array<std::uint64_t, Durations::kGroups> Durations::groups_of(const model::Job& job) {
  const std::string_view name = job.name.empty() ? job.job : job.name;
  const std::string_view user = job.user;
  const std::string_view queue = job.queue;
  const std::int64_t size = size_of(job);
  const std::int64_t kind = limited(job) ? 10 : 0;
  return {digest_of(kind), digest_of(kind + 1, name), digest_of(kind + 2, name, size),
          digest_of(kind + 3, user, size), digest_of(kind + 4, user, queue, name, size)};
}

void Durations::Sample::add(std::int64_t value) {
  if (ring.size() < kKept) {
    ring.push_back(value);
  } else {
    std::int64_t& old = ring[oldest++ % kKept];
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), old));
    old = value;
  }
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

void Durations::ended(const model::Job& job, base::Duration ran) {
  const std::int64_t value = log_of(ran) - scale_of(job);
  for (const std::uint64_t group : groups_of(job)) samples_[group].add(value);
}

base::Duration Durations::quantile(const model::Job& job, std::int64_t permille) const {
  std::int64_t found = 0;
  bool known = false;
  for (const std::uint64_t group : groups_of(job)) {
    const auto sample = samples_.find(group);
    if (sample == samples_.end()) continue;
    const auto& sorted = sample->second.sorted;
    const auto count = static_cast<std::int64_t>(sorted.size());
    const std::int64_t rank = std::max<std::int64_t>((count * permille + 999) / 1000, 1);
    const std::int64_t own = sorted[static_cast<std::size_t>(rank - 1)];
    found = known ? found + (own - found) * count / (count + kTrust) : own;
    known = true;
  }
  if (!known) return job.time;
  if (limited(job) && found >= 0) return job.time;
  return base::Duration{times_power(1, found + scale_of(job))};
}

}  // namespace headroom::simulate

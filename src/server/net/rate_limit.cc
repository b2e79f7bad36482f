#include "server/net/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace headroom::server::net {

double RateLimit::filled(const Bucket& bucket, Time now) const {
  const std::chrono::duration<double> since = now - bucket.at;
  return std::min(burst_, bucket.left + rate_ * since.count());
}

int RateLimit::take(const std::string& who, Time now) {
  const std::lock_guard guard(lock_);
  if (buckets_.size() >= forget_at_) forget_full(now);
  Bucket& bucket = buckets_.try_emplace(who, Bucket{burst_, now}).first->second;
  bucket = {filled(bucket, now), now};
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return 0;
  }
  return std::max(1, static_cast<int>(std::ceil((1 - bucket.left) / rate_)));
}

// Doubles the mark if few were full, so that the walk is rare.
void RateLimit::forget_full(Time now) {
  std::erase_if(buckets_, [&](const auto& one) { return filled(one.second, now) >= burst_; });
  forget_at_ = std::max<std::size_t>(1'000, 2 * buckets_.size());
}

std::size_t RateLimit::size() const {
  const std::lock_guard guard(lock_);
  return buckets_.size();
}

}  // namespace headroom::server::net

// How many requests each principal may make: a token bucket each. A bucket holds `burst` requests
// and gains `rate` of them a second. Any thread; O(log principals); buckets that are full again are
// forgotten.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace headroom::server::net {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  RateLimit(double rate, double burst) : rate_(rate), burst_(burst) {}

  // 0: go on. Else the whole seconds after which there is room for one more.
  int take(const std::string& who, Time now);

  std::size_t size() const;

 private:
  struct Bucket {
    double left = 0;
    Time at;
  };
  double filled(const Bucket& bucket, Time now) const;
  void forget_full(Time now);

  double rate_;   // a second
  double burst_;  // at least 1
  mutable std::mutex lock_;
  std::map<std::string, Bucket> buckets_;
  std::size_t forget_at_ = 1'000;  // buckets
};

}  // namespace headroom::server::net

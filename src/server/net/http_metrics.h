// What the HTTP layer counts: requests by method and status, how long they took, connections and
// requests in flight.
#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "server/metrics.h"

namespace headroom::server::net {

class HttpMetrics {
 public:
  explicit HttpMetrics(Metrics& metrics);

  void answered(std::string_view method, int status, double seconds);

  Metrics::Gauge& connections;
  Metrics::Gauge& in_flight;

 private:
  static constexpr std::size_t kMethods = 8;  // seven by name, and "other"
  static constexpr std::size_t kStatuses = 600;

  Metrics& metrics_;
  Metrics::Histogram& duration_;
  std::array<std::array<std::atomic<Metrics::Counter*>, kStatuses>, kMethods> answered_{};
};

}  // namespace headroom::server::net

#include "server/net/http_metrics.h"

#include <algorithm>
#include <string>

namespace headroom::server::net {

namespace {

constexpr std::array<std::string_view, 7> kNames = {"GET",   "HEAD",   "POST",   "PUT",
                                                    "PATCH", "DELETE", "OPTIONS"};

}  // namespace

HttpMetrics::HttpMetrics(Metrics& metrics)
    : connections(metrics.gauge("headroom_http_connections", "Open connections.")),
      in_flight(metrics.gauge("headroom_http_requests_in_flight", "Requests not answered yet.")),
      metrics_(metrics),
      duration_(metrics.histogram("headroom_http_request_duration_seconds",
                                  "From the last byte of a request to its answer.",
                                  latency_buckets())) {}

void HttpMetrics::answered(std::string_view method, int status, double seconds) {
  duration_.observe(seconds);
  const auto* found = std::ranges::find(kNames, method);
  const auto row = static_cast<std::size_t>(found - kNames.begin());
  const auto column = static_cast<std::size_t>(std::clamp(status, 0, 599));
  std::atomic<Metrics::Counter*>& known = answered_[row][column];
  if (known == nullptr) {
    known = &metrics_.counter("headroom_http_requests", "Answered requests.",
                              {{"code", std::to_string(column)},
                               {"method", found == kNames.end() ? "other" : std::string(*found)}});
  }
  known.load()->add();
}

}  // namespace headroom::server::net

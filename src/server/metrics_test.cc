#include "server/metrics.h"

#include <gtest/gtest.h>

namespace headroom::server {
namespace {

using Format = Metrics::Format;

void fill(Metrics& metrics) {
  metrics.counter("headroom_things", "What came.", {{"kind", "a\"b\\c\nd"}}).add(3);
  metrics.counter("headroom_things", "What came.", {{"kind", "z"}}).add();
  metrics.gauge("headroom_disk_free_bytes", "Free.").set(1.5e9);
  auto& took = metrics.histogram("headroom_wait_seconds", "Waited.", {0.5, 1}, {{"of", "x"}});
  for (const double seconds : {0.25, 0.5, 0.75, 2.0}) took.observe(seconds);
  metrics.collect([](Metrics::Collected& collected) {
    collected.gauge("headroom_jobs", "Jobs.", {{"state", "running"}}, 2);
    collected.gauge("headroom_jobs", "Jobs.", {{"state", "waiting"}}, 4);
    collected.counter("headroom_cycles", "Cycles.", {}, 7);
  });
}

TEST(Metrics, AreWrittenAsOpenMetrics) {
  Metrics metrics;
  fill(metrics);
  EXPECT_EQ(metrics.write(Format::kOpenMetrics),
            R"(# TYPE headroom_disk_free_bytes gauge
# UNIT headroom_disk_free_bytes bytes
# HELP headroom_disk_free_bytes Free.
headroom_disk_free_bytes 1500000000
# TYPE headroom_things counter
# HELP headroom_things What came.
headroom_things_total{kind="a\"b\\c\nd"} 3
headroom_things_total{kind="z"} 1
# TYPE headroom_wait_seconds histogram
# UNIT headroom_wait_seconds seconds
# HELP headroom_wait_seconds Waited.
headroom_wait_seconds_bucket{of="x",le="0.5"} 2
headroom_wait_seconds_bucket{of="x",le="1.0"} 3
headroom_wait_seconds_bucket{of="x",le="+Inf"} 4
headroom_wait_seconds_count{of="x"} 4
headroom_wait_seconds_sum{of="x"} 3.5
# TYPE headroom_cycles counter
# HELP headroom_cycles Cycles.
headroom_cycles_total 7
# TYPE headroom_jobs gauge
# HELP headroom_jobs Jobs.
headroom_jobs{state="running"} 2
headroom_jobs{state="waiting"} 4
# EOF
)");
}

TEST(Metrics, TheOlderTextNamesCountersWhole) {
  Metrics metrics;
  fill(metrics);
  const std::string text = metrics.write(Format::kPrometheus);
  EXPECT_NE(text.find("# TYPE headroom_things_total counter\n"), std::string::npos);
  EXPECT_EQ(text.find("# UNIT"), std::string::npos);
  EXPECT_EQ(text.find("# EOF"), std::string::npos);
}

TEST(Metrics, TheAcceptHeaderChooses) {
  EXPECT_EQ(Metrics::accepted("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
            Format::kOpenMetrics);
  EXPECT_EQ(Metrics::accepted("*/*"), Format::kPrometheus);
  EXPECT_EQ(Metrics::accepted(""), Format::kPrometheus);
}

TEST(Metrics, ReferencesStayGood) {
  Metrics metrics;
  Metrics::Counter& first = metrics.counter("headroom_things", "x", {{"n", "5"}});
  for (int i = 0; i < 1'000; ++i) {
    metrics.counter("headroom_things", "x", {{"n", std::to_string(i)}}).add();
  }
  EXPECT_EQ(first.value(), 1U);
  EXPECT_EQ(&first, &metrics.counter("headroom_things", "x", {{"n", "5"}}));
}

}  // namespace
}  // namespace headroom::server

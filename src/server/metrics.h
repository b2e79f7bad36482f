// What /metrics shows: counters, gauges and histograms with labels, as OpenMetrics 1.0 or the older
// Prometheus text writes them. Names begin with headroom_ and end in their base unit; a counter is
// named without its _total.
//
//   Metrics::Counter& done = metrics.counter("headroom_http_requests", "Answered.", {{"code",
//   "2xx"}}); done.add();
//
// Adding is a few atomic operations from any thread; to look a metric up takes a lock and
// O(log metrics), so keep the reference: it lives as long as the Metrics.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom::server {

class Metrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  enum class Format : std::uint8_t { kOpenMetrics, kPrometheus };

  class Counter {
   public:
    void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> value_{0};
  };

  class Gauge {
   public:
    void set(double value) { value_.store(value, std::memory_order_relaxed); }
    void add(double value);
    double value() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<double> value_{0};
  };

  class Histogram {
   public:
    explicit Histogram(std::vector<double> bounds);
    void observe(double value);  // O(bounds)

   private:
    friend class Metrics;
    std::vector<double> bounds_;  // upper, ascending; +Inf is added
    std::vector<std::atomic<std::uint64_t>> counts_;
    std::atomic<double> sum_{0};
  };

  // What is known only when asked: a collector fills in values during write().
  class Collected {
   public:
    void counter(std::string name, std::string help, Labels labels, double value);
    void gauge(std::string name, std::string help, Labels labels, double value);

   private:
    friend class Metrics;
    struct Value {
      bool counts;
      std::string name, help;
      Labels labels;
      double value;
    };
    std::vector<Value> values_;
  };
  using Collector = std::function<void(Collected&)>;

  Metrics();
  ~Metrics();

  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help,
                       const std::vector<double>& bounds, const Labels& labels = {});
  void collect(Collector collector);

  std::string write(Format format) const;

  // Of the format that an Accept header asks for, and the Content-Type to answer with.
  static Format accepted(std::string_view accept);
  static std::string_view content_type(Format format);

 private:
  struct Family;
  Family& family(const std::string& name, const std::string& help);

  mutable std::mutex lock_;
  std::map<std::string, std::unique_ptr<Family>> families_;
  std::vector<Collector> collectors_;
};

// Seconds from 1 ms to 10 s: of requests and commits.
const std::vector<double>& latency_buckets();

}  // namespace headroom::server

#include "server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace headroom::server {

namespace {

enum class Kind : std::uint8_t { kCounter, kGauge, kHistogram };

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (c == '"' && quotes)) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

// {a="1",b="2"}, or "" without labels.
std::string written(const Metrics::Labels& labels, std::string_view more = "") {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value, true));
  }
  if (!more.empty()) text.append(text.empty() ? "" : ",").append(more);
  return text.empty() ? "" : "{" + text + "}";
}

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// OpenMetrics wants the bounds as floating point: 1.0, not 1.
std::string bound(double value) {
  std::string text = number(value);
  if (text.find_first_of(".eI") == std::string::npos) text += ".0";
  return text;
}

std::string unit_of(const std::string& name) {
  for (const std::string_view unit : {"seconds", "bytes", "ratio"}) {
    if (name.ends_with("_" + std::string(unit))) return std::string(unit);
  }
  return "";
}

void write_head(std::string& out, Metrics::Format format, Kind kind, const std::string& name,
                const std::string& help) {
  constexpr std::string_view kKinds[] = {"counter", "gauge", "histogram"};
  const bool open = format == Metrics::Format::kOpenMetrics;
  const std::string family = kind == Kind::kCounter && !open ? name + "_total" : name;
  out += fmt::format("# TYPE {} {}\n", family, kKinds[static_cast<std::size_t>(kind)]);
  if (open && !unit_of(name).empty()) out += fmt::format("# UNIT {} {}\n", family, unit_of(name));
  out += fmt::format("# HELP {} {}\n", family, escaped(help, open));
}

}  // namespace

// All metrics of one name. A map's nodes do not move, so references to them stay good.
struct Metrics::Family {
  Kind kind = Kind::kCounter;
  std::string help;
  std::vector<double> bounds;
  std::map<Labels, Counter> counters;
  std::map<Labels, Gauge> gauges;
  std::map<Labels, Histogram> histograms;

  void write(std::string& out, Format format, const std::string& name) const;
};

void Metrics::Family::write(std::string& out, Format format, const std::string& name) const {
  write_head(out, format, kind, name, help);
  for (const auto& [labels, counter] : counters) {
    out += fmt::format("{}_total{} {}\n", name, written(labels), counter.value());
  }
  for (const auto& [labels, gauge] : gauges) {
    out += fmt::format("{}{} {}\n", name, written(labels), number(gauge.value()));
  }
  for (const auto& [labels, histogram] : histograms) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < histogram.counts_.size(); ++i) {
      sum += histogram.counts_[i].load(std::memory_order_relaxed);
      const std::string up_to = i < bounds.size() ? bound(bounds[i]) : "+Inf";
      out += fmt::format("{}_bucket{} {}\n", name, written(labels, "le=\"" + up_to + "\""), sum);
    }
    out += fmt::format("{}_count{} {}\n", name, written(labels), sum);
    out += fmt::format("{}_sum{} {}\n", name, written(labels), number(histogram.sum_.load()));
  }
}

void Metrics::Gauge::add(double value) {
  double old = value_.load(std::memory_order_relaxed);
  while (!value_.compare_exchange_weak(old, old + value, std::memory_order_relaxed)) {
  }
}

Metrics::Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Metrics::Histogram::observe(double value) {
  const auto at = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  double old = sum_.load(std::memory_order_relaxed);
  while (!sum_.compare_exchange_weak(old, old + value, std::memory_order_relaxed)) {
  }
}

void Metrics::Collected::counter(std::string name, std::string help, Labels labels, double value) {
  values_.push_back({true, std::move(name), std::move(help), std::move(labels), value});
}

void Metrics::Collected::gauge(std::string name, std::string help, Labels labels, double value) {
  values_.push_back({false, std::move(name), std::move(help), std::move(labels), value});
}

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Family& Metrics::family(const std::string& name, const std::string& help) {
  HEADROOM_ASSERT(name.starts_with("headroom_") && !name.ends_with("_total"));
  std::unique_ptr<Family>& found = families_[name];
  if (found == nullptr) found = std::make_unique<Family>();
  found->help = help;
  return *found;
}

Metrics::Counter& Metrics::counter(const std::string& name, const std::string& help,
                                   const Labels& labels) {
  const std::lock_guard guard(lock_);
  return family(name, help).counters[labels];
}

Metrics::Gauge& Metrics::gauge(const std::string& name, const std::string& help,
                               const Labels& labels) {
  const std::lock_guard guard(lock_);
  Family& of = family(name, help);
  of.kind = Kind::kGauge;
  return of.gauges[labels];
}

Metrics::Histogram& Metrics::histogram(const std::string& name, const std::string& help,
                                       const std::vector<double>& bounds, const Labels& labels) {
  const std::lock_guard guard(lock_);
  Family& of = family(name, help);
  of.kind = Kind::kHistogram;
  of.bounds = bounds;
  return of.histograms.try_emplace(labels, bounds).first->second;
}

void Metrics::collect(Collector collector) {
  const std::lock_guard guard(lock_);
  collectors_.push_back(std::move(collector));
}

std::string Metrics::write(Format format) const {
  const std::lock_guard guard(lock_);
  std::string out;
  for (const auto& [name, of] : families_) of->write(out, format, name);

  Collected collected;
  for (const Collector& collector : collectors_) collector(collected);
  std::map<std::string, std::vector<const Collected::Value*>> by_name;
  for (const Collected::Value& value : collected.values_) by_name[value.name].push_back(&value);
  for (const auto& [name, values] : by_name) {
    const bool counts = values.front()->counts;
    write_head(out, format, counts ? Kind::kCounter : Kind::kGauge, name, values.front()->help);
    for (const Collected::Value* value : values) {
      out += fmt::format("{}{}{} {}\n", name, counts ? "_total" : "", written(value->labels),
                         number(value->value));
    }
  }
  if (format == Format::kOpenMetrics) out += "# EOF\n";
  return out;
}

Metrics::Format Metrics::accepted(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos
             ? Format::kOpenMetrics
             : Format::kPrometheus;
}

std::string_view Metrics::content_type(Format format) {
  return format == Format::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

const std::vector<double>& latency_buckets() {
  static const std::vector<double> buckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                              0.25,  0.5,    1,     2.5,  5,     10};
  return buckets;
}

}  // namespace headroom::server

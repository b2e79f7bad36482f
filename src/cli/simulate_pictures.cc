#include "cli/simulate_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/simulate_axis.h"

namespace headroom::cli {

namespace {

using Json = nlohmann::ordered_json;
using simulate::Sample;
using simulate::Timeline;

constexpr std::size_t kParts = 12;

double seconds(base::Time from, base::Time to) {
  return static_cast<double>(base::between(from, to).value()) / 1000;
}

// Milli x ms of each step, for each place.
std::vector<std::vector<std::int64_t>> held_by_queue(const SimulateRun& run,
                                                     const ShownQueues& queues) {
  const Timeline& timeline = run.result.timeline;
  std::vector<std::vector<std::int64_t>> held(queues.size(),
                                              std::vector<std::int64_t>(timeline.steps().size()));
  for (const simulate::Stretch& one : run.result.stretches) {
    if (one.gpu_milli == 0) continue;
    auto& of = held[queues.place_of(run.variation->input.jobs->jobs[one.job].job.queue)];
    for (base::Time at = one.start; at < one.end;) {
      const auto step =
          static_cast<std::size_t>(base::between(timeline.start(), at) / timeline.step());
      const base::Time next = std::min(one.end, timeline.begin_of(step + 1));
      of[step] += base::between(at, next).value() * one.gpu_milli;
      at = next;
    }
  }
  return held;
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::round(value * 100) / 100);
  return list;
}

Json gpus_json(const GpuSteps& steps, const ShownQueues& queues) {
  Json list = Json::array();
  const auto add = [&](const std::string& name, const char* kind, int colour,
                       const std::vector<double>& values) {
    if (std::all_of(values.begin(), values.end(), [](double v) { return v < 0.005; })) return;
    list.push_back({{"name", name}, {"kind", kind}, {"colour", colour}, {"gpus", rounded(values)}});
  };
  for (std::size_t i = 0; i < queues.size(); ++i) {
    add(queues.name(i), "queue", ShownQueues::colour(i), steps.queues[i]);
  }
  add("held, waiting for members", "gathering", 0, steps.gathering);
  add("free, of no use to typical tasks", "unusable", 0, steps.unusable);
  add("free", "free", 0, steps.free);
  add("out of service", "out", 0, steps.out);
  return list;
}

Json waiting_json(const SimulateRun& run) {
  Json at = Json::array();
  Json causes = Json::array();
  for (const Sample& one : run.result.samples) at.push_back(seconds(run.result.first, one.time));
  for (std::size_t i = 0; i < simulate::kCauses; ++i) {
    Json jobs = Json::array();
    bool any = false;
    for (const Sample& one : run.result.samples) {
      jobs.push_back(one.waiting[i]);
      any = any || one.waiting[i] > 0;
    }
    if (any) causes.push_back({{"cause", i}, {"jobs", std::move(jobs)}});
  }
  return {{"at", std::move(at)}, {"causes", std::move(causes)}};
}

std::string one_decimal(double value) { return fmt::format("{:.1f}", value); }

// Of steps from `from` to `to`, weighted by their length.
std::string mean(const Timeline& timeline, const std::vector<double>& values, std::size_t from,
                 std::size_t to) {
  double sum = 0, length = 0;
  for (std::size_t i = from; i < to; ++i) {
    const auto weight = static_cast<double>(timeline.length_of(i).value());
    sum += values[i] * weight;
    length += weight;
  }
  return length > 0 ? one_decimal(sum / length) : "-";
}

// Jobs that waited: the mean of the samples, and the most.
std::vector<std::string> waiting_in(const std::vector<Sample>& samples, base::Time from,
                                    base::Time to) {
  std::int64_t sum = 0, most = 0, count = 0;
  for (const Sample& one : samples) {
    if (one.time < from || one.time >= to) continue;
    std::int64_t jobs = 0;
    for (const std::int32_t waiting : one.waiting) jobs += waiting;
    sum += jobs;
    most = std::max(most, jobs);
    ++count;
  }
  if (count == 0) return {"-", "-"};
  return {one_decimal(static_cast<double>(sum) / static_cast<double>(count)), std::to_string(most)};
}

}  // namespace

std::size_t ShownQueues::place_of(const std::string& queue) const {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), queue) - names.begin());
}

std::string ShownQueues::name(std::size_t place) const {
  return place < names.size() ? names[place] : fmt::format("{} other queues", others);
}

int ShownQueues::colour(std::size_t place) {
  constexpr int kOrder[kMost + 1] = {7, 4, 2, 1, 8, 3, 6, 5, 0};
  return kOrder[place];
}

ShownQueues shown_queues(const SimulateRun& run) {
  std::vector<simulate::QueueSummary> queues = run.queues;
  std::erase_if(queues, [](const auto& one) { return one.gpu_h <= 0; });
  std::stable_sort(queues.begin(), queues.end(),
                   [](const auto& a, const auto& b) { return a.gpu_h > b.gpu_h; });
  ShownQueues shown;
  for (const simulate::QueueSummary& one : queues) {
    if (shown.names.size() == ShownQueues::kMost) break;
    shown.names.push_back(one.queue);
  }
  shown.others = run.queues.size() - shown.names.size();
  return shown;
}

GpuSteps gpu_steps(const SimulateRun& run, const ShownQueues& queues) {
  const Timeline& timeline = run.result.timeline;
  const auto held = held_by_queue(run, queues);
  const auto all = static_cast<double>(run.variation->input.cluster->gpu_capacity().value()) / 1000;
  GpuSteps steps{.queues = std::vector<std::vector<double>>(queues.size()), .most = all};
  for (std::size_t i = 0; i < timeline.steps().size(); ++i) {
    const simulate::GpuStep& step = timeline.steps()[i];
    const double milli_ms = 1000.0 * static_cast<double>(timeline.length_of(i).value());
    const auto gpus = [&](std::int64_t sum) { return static_cast<double>(sum) / milli_ms; };
    std::int64_t running = 0;
    for (std::size_t place = 0; place < queues.size(); ++place) {
      steps.queues[place].push_back(gpus(held[place][i]));
      running += held[place][i];
    }
    steps.gathering.push_back(gpus(std::max<std::int64_t>(0, step.allocated - running)));
    steps.unusable.push_back(gpus(step.unusable));
    steps.free.push_back(gpus(step.capacity - step.allocated - step.unusable));
    steps.out.push_back(all - gpus(step.capacity));
  }
  return steps;
}

Json picture_json(const SimulateRun& run, const ShownQueues& queues) {
  const simulate::ReplayResult& result = run.result;
  const GpuSteps steps = gpu_steps(run, queues);
  Json ticks = Json::array();
  for (const Tick& tick : ticks_of(result.first, result.last)) {
    ticks.push_back({{"at", tick.at}, {"label", tick.label}});
  }
  return {{"start", result.first.value()},
          {"dated", is_dated(result.first)},
          {"length", seconds(result.first, result.last)},
          {"step", static_cast<double>(result.timeline.step().value()) / 1000},
          {"most", steps.most},
          {"ticks", std::move(ticks)},
          {"gpus", gpus_json(steps, queues)},
          {"waiting", waiting_json(run)}};
}

Table picture_table(const SimulateRun& run, const ShownQueues& queues) {
  const Timeline& timeline = run.result.timeline;
  const GpuSteps steps = gpu_steps(run, queues);
  std::vector<Column> columns{{"FROM", true}};
  for (std::size_t i = 0; i < queues.size(); ++i) columns.push_back({"", false, queues.name(i)});
  for (const char* name : {"Waiting for members", "Free", "Free, of no use", "Out of service",
                           "Jobs waiting, mean", "Most"}) {
    columns.push_back({"", false, name});
  }
  Table table(columns);
  const std::size_t count = timeline.steps().size();
  const std::size_t parts = std::min(count, kParts);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t from = part * count / parts;
    const std::size_t to = (part + 1) * count / parts;
    std::vector<std::string> cells{moment(run.result.first, timeline.begin_of(from))};
    for (const auto& values : steps.queues) cells.push_back(mean(timeline, values, from, to));
    for (const auto* values : {&steps.gathering, &steps.free, &steps.unusable, &steps.out}) {
      cells.push_back(mean(timeline, *values, from, to));
    }
    const base::Time end = to == count ? timeline.end() + base::Duration{1} : timeline.begin_of(to);
    for (std::string& cell : waiting_in(run.result.samples, timeline.begin_of(from), end)) {
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace headroom::cli

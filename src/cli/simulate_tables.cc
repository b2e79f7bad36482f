#include "cli/simulate_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace headroom::cli {

namespace {

// The unit in which the times of these runs read well.
struct Unit {
  const char* name;
  double seconds;

  std::string lower() const { return seconds == 3600 ? "h" : seconds == 60 ? "min" : "s"; }

  // "-" of no jobs at all.
  std::string operator()(double value, std::int64_t jobs) const {
    return jobs == 0 ? "-" : fmt::format("{:.2f}", value / seconds);
  }
};

Unit unit_of(const std::vector<SimulateRun>& runs) {
  double longest = 0;
  for (const SimulateRun& run : runs) longest = std::max(longest, run.summary.completion_s.p90);
  if (longest >= 7200) return {"H", 3600};
  if (longest >= 120) return {"MIN", 60};
  return {"S", 1};
}

// A column, and what stands in it.
struct Shown {
  Column column;
  std::function<std::string(const SimulateRun&)> cell;
};

Table table_of(const std::vector<SimulateRun>& runs, const std::vector<Shown>& shown) {
  std::vector<Column> columns;
  for (const Shown& one : shown) columns.push_back(one.column);
  Table table(columns);
  for (const SimulateRun& run : runs) {
    std::vector<std::string> cells;
    for (const Shown& one : shown) cells.push_back(one.cell(run));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string count(std::int64_t number) { return fmt::format("{}", number); }
std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }
std::string ratio(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

// What tells the runs apart: only what there is more than one of.
std::vector<Shown> names_of(const std::vector<SimulateRun>& runs) {
  std::vector<Shown> shown{{{"POLICY", true}, [](const auto& run) { return run.policy; }}};
  const auto differ = [&](auto value_of) {
    return std::any_of(runs.begin(), runs.end(), [&](const SimulateRun& run) {
      return value_of(run) != value_of(runs.front());
    });
  };
  if (differ([](const auto& run) { return run.placement; })) {
    shown.push_back({{"PLACEMENT", true}, [](const auto& run) { return run.placement; }});
  }
  if (differ([](const auto& run) { return run.seed; })) {
    shown.push_back({{"SEED"}, [](const auto& run) { return fmt::format("{}", run.seed); }});
  }
  const std::vector<formats::Setting>& sweep = runs.front().variation->sweep;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    std::string title = sweep[i].key;
    std::transform(title.begin(), title.end(), title.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c; });
    shown.push_back({{title, false, sweep[i].key},
                     [i](const auto& run) { return run.variation->sweep[i].value; }});
  }
  return shown;
}

}  // namespace

Table runs_table(const std::vector<SimulateRun>& runs) {
  const Unit unit = unit_of(runs);
  std::vector<Shown> shown = names_of(runs);
  const auto add = [&](std::string title, std::string heading,
                       std::function<std::string(const SimulateRun&)> cell) {
    shown.push_back({{std::move(title), false, std::move(heading)}, std::move(cell)});
  };
  // Columns that say something in one of the runs at least.
  const auto add_count = [&](const char* title, const char* heading,
                             std::int64_t (*value)(const simulate::Summary&)) {
    const bool any = std::any_of(runs.begin(), runs.end(),
                                 [&](const SimulateRun& run) { return value(run.summary) > 0; });
    if (any) add(title, heading, [value](const auto& run) { return count(value(run.summary)); });
  };
  add("JOBS", "Jobs", [](const auto& run) { return count(run.summary.jobs); });
  add_count("REJECTED", "Rejected", [](const auto& summary) { return summary.rejected; });
  add_count("UNFINISHED", "Unfinished", [](const auto& summary) { return summary.unfinished; });
  add(fmt::format("WAIT {} MEAN", unit.name), "Wait mean, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.wait_s.mean, run.summary.jobs); });
  add("P50", "Wait P50, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.wait_s.p50, run.summary.jobs); });
  add("P90", "Wait P90, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.wait_s.p90, run.summary.jobs); });
  add(fmt::format("DONE {} MEAN", unit.name), "Completion mean, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.completion_s.mean, run.summary.jobs); });
  add("P50", "Completion P50, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.completion_s.p50, run.summary.jobs); });
  add("P90", "Completion P90, " + unit.lower(),
      [=](const auto& run) { return unit(run.summary.completion_s.p90, run.summary.jobs); });
  add("USED %", "GPU time allocated, %",
      [](const auto& run) { return percent(run.summary.allocated); });
  add("USEFUL %", "GPU time useful, %",
      [](const auto& run) { return percent(run.summary.useful); });
  add("JAIN", "Jain index", [](const auto& run) { return ratio(run.fairness.jain, 2); });
  add("WORST", "Worst ratio of a queue",
      [](const auto& run) { return ratio(run.fairness.worst_ratio, 1); });
  add_count("DEADLINES", "Deadlines", [](const auto& summary) { return summary.deadlines.jobs; });
  add_count("MISSED", "Missed", [](const auto& summary) { return summary.deadlines.missed; });
  add_count("STOPS", "Stops", [](const auto& summary) { return summary.preemptions; });
  add_count("FAILURES", "Failures of nodes",
            [](const auto& summary) { return summary.node_failures; });
  return table_of(runs, shown);
}

std::optional<Table> idle_table(const std::vector<SimulateRun>& runs) {
  std::vector<Shown> shown = names_of(runs);
  const std::size_t names = shown.size();
  for (std::size_t i = 0; i < simulate::kCauses; ++i) {
    const auto hours = [i](const SimulateRun& run) {
      return run.summary.idle_while_waiting_gpu_h[i];
    };
    const bool any = std::any_of(runs.begin(), runs.end(),
                                 [&](const SimulateRun& run) { return hours(run) >= 0.05; });
    std::string title = simulate::kCauseNames[i];
    std::transform(title.begin(), title.end(), title.begin(),
                   [](char c) { return static_cast<char>(c - 32); });
    if (any) {
      shown.push_back(
          {{title}, [=](const auto& run) { return fmt::format("{:.1f}", hours(run)); }});
    }
  }
  if (shown.size() == names) return std::nullopt;
  return table_of(runs, shown);
}

Table prediction_table(const std::vector<SimulateRun>& runs) {
  std::vector<Shown> shown = names_of(runs);
  const auto add = [&](const char* title, auto value) {
    shown.push_back({{title}, [=](const SimulateRun& run) {
                       return fmt::format("{:.1f}", value(*run.predictions));
                     }});
  };
  using All = const simulate::Predictions&;
  add("P50 S", [](All of) { return of.all.p50.predicted; });
  add("GLOBAL", [](All of) { return of.all.p50.global; });
  add("P90 S", [](All of) { return of.all.p90.predicted; });
  add("GLOBAL", [](All of) { return of.all.p90.global; });
  if (runs.front().predictions->limited.jobs > 0) {
    add("LIMITED P50 S", [](All of) { return of.limited.p50.predicted; });
    add("LIMIT", [](All of) { return of.limited.p50.limit; });
    add("P90 S", [](All of) { return of.limited.p90.predicted; });
    add("LIMIT", [](All of) { return of.limited.p90.limit; });
  }
  return table_of(runs, shown);
}

Table queue_table(const SimulateRun& run) {
  const Unit unit = unit_of({run});
  Table table({{"QUEUE", true},
               {"JOBS"},
               {fmt::format("WAIT {} MEAN", unit.name), false, "Wait mean, " + unit.lower()},
               {"P50", false, "Wait P50, " + unit.lower()},
               {"P90", false, "Wait P90, " + unit.lower()},
               {fmt::format("DONE {} MEAN", unit.name), false, "Completion mean, " + unit.lower()},
               {"P90", false, "Completion P90, " + unit.lower()},
               {"GPU HOURS", false, "GPU hours"},
               {"SHARE %"},
               {"RATIO"}});
  for (std::size_t i = 0; i < run.queues.size(); ++i) {
    const simulate::QueueSummary& one = run.queues[i];
    table.add_row({one.queue, count(one.jobs), unit(one.wait_s.mean, one.jobs),
                   unit(one.wait_s.p50, one.jobs), unit(one.wait_s.p90, one.jobs),
                   unit(one.completion_s.mean, one.jobs), unit(one.completion_s.p90, one.jobs),
                   fmt::format("{:.1f}", one.gpu_h), percent(one.share),
                   ratio(run.fairness.ratios[i], 2)});
  }
  return table;
}

std::string name_of(const SimulateRun& run) {
  std::string name = fmt::format("{}, {}, seed {}", run.policy, run.placement, run.seed);
  for (const formats::Setting& one : run.variation->sweep) {
    name += fmt::format(", {}={}", one.key, one.value);
  }
  return name;
}

std::string rejections(const std::vector<SimulateRun>& runs) {
  for (const SimulateRun& run : runs) {
    if (run.summary.rejected == 0) continue;
    std::string why;
    for (std::size_t i = 0; i < simulate::kRejections; ++i) {
      const std::int64_t jobs = run.summary.rejected_by[i];
      if (jobs > 0) {
        why += fmt::format("{}{} {}", why.empty() ? "" : ", ", jobs, simulate::kRejectionNames[i]);
      }
    }
    return fmt::format("Rejected ({}): {}.", run.policy, why);
  }
  return "";
}

}  // namespace headroom::cli

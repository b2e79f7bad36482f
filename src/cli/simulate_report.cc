#include "cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/html.h"
#include "cli/report.h"
#include "cli/simulate_axis.h"
#include "cli/simulate_gantt.h"
#include "cli/simulate_pictures.h"
#include "cli/simulate_tables.h"
#include "cli/text.h"
#include "schedule/policies.h"

// Files of this folder, put into the program by cmake/embed.cmake.
extern "C" {
extern const char headroom_simulate_report_css[], headroom_simulate_report_css_end[];
extern const char headroom_simulate_report_html[], headroom_simulate_report_html_end[];
extern const char headroom_simulate_report_js[], headroom_simulate_report_js_end[];
}

namespace headroom::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTitle = "Who waited for what?";
constexpr std::size_t kLargestJobs = 24;

// How the page names causes.
constexpr std::array<const char*, simulate::kCauses> kCauseWords = {
    "less is free than the job needs",         "enough is free, in pieces that do not suit",
    "not within the domains that it wants",    "it would delay a job with a reservation",
    "nodes are reserved or under maintenance", "a limit of its queue or user",
    "the policy takes jobs in order"};
constexpr std::array<int, simulate::kCauses> kCauseColours = {7, 6, 1, 4, 5, 3, 0};

// All seeds of one combination of sweep, placement and policy.
struct Combination {
  const SimulateRun* first = nullptr;
  std::string name;  // what tells it from the others
  simulate::WaitCounts waits;
};

std::string name_among(const Simulation& simulation, const SimulateRun& run) {
  std::vector<std::string> parts;
  if (simulation.policies.size() > 1) parts.push_back(run.policy);
  if (simulation.placements.size() > 1) parts.push_back(run.placement);
  for (const formats::Setting& one : run.variation->sweep) {
    parts.push_back(one.key + "=" + one.value);
  }
  return parts.empty() ? run.policy : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Combination> combinations_of(const Simulation& simulation,
                                         const std::vector<SimulateRun>& runs) {
  std::vector<Combination> list;
  const std::size_t seeds = simulation.seeds.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % seeds == 0) list.push_back({&runs[i], name_among(simulation, runs[i]), {}});
    list.back().waits = list.back().waits + runs[i].waits;
  }
  return list;
}

// Lines of one policy differ in their dashes and markers where sweeps or placements make several.
LineStyle style_of(const Simulation& simulation, const SimulateRun& run, std::size_t number) {
  const auto& names = schedule::policy_names();
  const auto policy =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), run.policy) - names.begin());
  if (simulation.policies.size() == 1) return line_style(number + 7);
  LineStyle style = line_style(policy);
  const std::size_t turn = number / simulation.policies.size();
  if (turn > 0) {
    const LineStyle other = line_style(policy + turn);
    style.dash = other.dash;
    style.marker = other.marker;
  }
  return style;
}

double share(const simulate::WaitCounts& waits, std::size_t at) {
  if (waits.jobs == 0) return 0;
  return 100 * static_cast<double>(waits.at_most[at]) / static_cast<double>(waits.jobs);
}

Json waits_json(const Simulation& simulation, const std::vector<Combination>& all) {
  Json times = Json::array();
  for (const base::Duration time : simulate::wait_times()) {
    times.push_back(static_cast<double>(time.value()) / 1000);
  }
  Json lines = Json::array();
  for (std::size_t i = 0; i < std::min(all.size(), kMostLines); ++i) {
    Json line = json_of(style_of(simulation, *all[i].first, i), all[i].name);
    line["percent"] = Json::array();
    for (std::size_t at = 0; at < simulate::kWaitTimes; ++at) {
      line["percent"].push_back(std::round(share(all[i].waits, at) * 100) / 100);
    }
    lines.push_back(std::move(line));
  }
  return {{"at_most", std::move(times)}, {"lines", std::move(lines)}};
}

// The share of jobs that waited at most so long, at a few of the times.
Table waits_table(const std::vector<Combination>& all) {
  struct At {
    std::int64_t seconds;
    const char* name;
  };
  // Each is one of wait_times().
  constexpr std::array<At, 7> kAt = {{{1, "1 s"},
                                      {60, "1 min"},
                                      {600, "10 min"},
                                      {3'600, "1 h"},
                                      {21'600, "6 h"},
                                      {86'400, "1 day"},
                                      {604'800, "7 days"}}};
  std::vector<Column> columns{{"RUN", true}};
  for (const At& at : kAt) columns.push_back({"", false, fmt::format("≤ {}", at.name)});
  Table table(columns);
  for (std::size_t i = 0; i < std::min(all.size(), kMostRows); ++i) {
    std::vector<std::string> cells{all[i].name};
    for (const At& at : kAt) {
      const auto& times = simulate::wait_times();
      const base::Duration time{at.seconds * 1000};
      const auto place = std::find(times.begin(), times.end(), time) - times.begin();
      cells.push_back(fmt::format("{:.1f}", share(all[i].waits, static_cast<std::size_t>(place))));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

std::string headline(const Simulation& simulation, const std::vector<SimulateRun>& runs) {
  const auto completion = [](const SimulateRun& run) { return run.summary.completion_s.mean; };
  std::vector<const SimulateRun*> ended;
  for (const SimulateRun& run : runs) {
    if (run.summary.jobs > 0) ended.push_back(&run);
  }
  if (ended.empty()) return "No job ran to its end.";
  if (runs.size() == 1) {
    const simulate::Summary& summary = runs.front().summary;
    return fmt::format(
        "Under {}, half of {} jobs waited at most {}, nine of ten at most {}; {:.1f} % of the GPU "
        "time was allocated.",
        runs.front().policy, grouped(summary.jobs), short_time(summary.wait_s.p50),
        short_time(summary.wait_s.p90), 100 * summary.allocated);
  }
  const auto [best, worst] = std::minmax_element(ended.begin(), ended.end(), [&](auto* a, auto* b) {
    return completion(*a) < completion(*b);
  });
  const auto said = [&](const SimulateRun& run) {
    const std::string seed =
        simulation.seeds.size() > 1 ? fmt::format(", seed {}", run.seed) : std::string();
    return fmt::format("{} ({}{})", short_time(completion(run)), name_among(simulation, run), seed);
  };
  return fmt::format("From submission to end, jobs took {} to {} in the mean of {} runs.",
                     said(**best), said(**worst), runs.size());
}

std::string facts(const SimulateOptions& options, const Simulation& simulation) {
  const model::Cluster& cluster = *simulation.variations.front().input.cluster;
  const std::string name = cluster.name.empty() ? "" : cluster.name + ": ";
  std::string html =
      report_fact("Cluster", fmt::format("{}{} nodes, {} GPUs{}", name,
                                         grouped(static_cast<std::int64_t>(cluster.nodes.size())),
                                         grouped(cluster.gpu_capacity().value() / 1000),
                                         simulation.variations.size() > 1 ? " in the first" : ""));
  const std::int64_t left_out = simulation.jobs().rows_left_out();
  html += report_fact(
      "Jobs",
      fmt::format("{} of {}{}", grouped(static_cast<std::int64_t>(simulation.jobs().jobs.size())),
                  options.jobs,
                  left_out > 0 ? fmt::format("; {} left out", grouped(left_out)) : ""));
  html += report_fact("Policies", fmt::format("{}", fmt::join(simulation.policies, ", ")));
  html += report_fact("Placement", fmt::format("{}", fmt::join(simulation.placements, ", ")));
  if (simulation.seeds.size() > 1) {
    html += report_fact("Seeds", std::to_string(simulation.seeds.size()));
  }
  for (const std::string& setting : options.settings) html += report_fact("Set", setting);
  return html;
}

std::string swatch(const std::string& style, const std::string& name) {
  return fmt::format("<li><span class=\"swatch {}\"></span>{}</li>\n", style, escape_html(name));
}

std::string queue_legend(const ShownQueues& queues) {
  std::string html;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    html += swatch(fmt::format("p{}", ShownQueues::colour(i)), queues.name(i));
  }
  return html + swatch("gathering", "held by jobs that wait for members") +
         swatch("unusable", "free, of no use to typical tasks") + swatch("free", "free") +
         swatch("out", "out of service");
}

// Of the causes that there are in any of the runs.
std::string cause_legend(const std::vector<Combination>& drawn) {
  const auto occurs = [&](std::size_t cause) {
    return std::any_of(drawn.begin(), drawn.end(), [&](const Combination& one) {
      const auto& samples = one.first->result.samples;
      return std::any_of(samples.begin(), samples.end(),
                         [&](const auto& sample) { return sample.waiting[cause] > 0; });
    });
  };
  std::string html;
  for (std::size_t i = 0; i < simulate::kCauses; ++i) {
    if (!occurs(i)) continue;
    html += swatch(fmt::format("p{}", kCauseColours[i]),
                   fmt::format("{}: {}", simulate::kCauseNames[i], kCauseWords[i]));
  }
  return html;
}

std::string selector(const std::vector<Combination>& drawn, std::size_t chosen) {
  if (drawn.size() < 2) return "";
  std::string html =
      "<div class=\"controls chooser\"><label for=\"run\">Run</label> <select id=\"run\">\n";
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    html += fmt::format("<option{}>{}</option>\n", i == chosen ? " selected" : "",
                        escape_html(drawn[i].name));
  }
  return html + "</select></div>";
}

// What is shown of one run at a time, where there is JavaScript.
std::string of_each(const std::vector<Combination>& drawn, auto&& html_of) {
  std::string html;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    html += fmt::format("<div class=\"of-run\" data-run=\"{}\">", i);
    html += html_of(*drawn[i].first) + "</div>\n";
  }
  return html;
}

// What was left out to keep the page small, or nothing.
std::string limits(const Simulation& simulation, std::size_t all, std::size_t drawn) {
  std::string text;
  if (drawn < all) {
    text += fmt::format("Of {} combinations the first {} are drawn over time, and {} by waits. ",
                        all, drawn, std::min(all, kMostLines));
  }
  if (simulation.size() > kMostRows) {
    text += fmt::format("The tables show the first {} of {} runs; -o csv writes them all. ",
                        kMostRows, simulation.size());
  }
  return text.empty() ? "" : "<p class=\"note\">" + text + "</p>";
}

std::string queue_tables(const std::vector<Combination>& drawn) {
  return of_each(drawn,
                 [](const SimulateRun& run) { return html_table(queue_table(run), name_of(run)); });
}

std::string time_tables(const std::vector<Combination>& drawn, const ShownQueues& queues) {
  return of_each(drawn, [&](const SimulateRun& run) {
    return html_table(picture_table(run, queues), name_of(run));
  });
}

std::string gantts(const std::vector<Combination>& drawn, const Simulation& simulation) {
  const auto jobs = largest_jobs(simulation.jobs(), kLargestJobs);
  if (jobs.empty()) return "<p>No job asks for GPUs.</p>";
  return of_each(drawn,
                 [&](const SimulateRun& run) { return gantt_html(run, jobs, name_of(run)); });
}

std::string run_tables(const std::vector<SimulateRun>& runs) {
  std::vector<SimulateRun> shown;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRows); ++i) {
    SimulateRun& row = shown.emplace_back();
    row.variation = runs[i].variation;
    row.placement = runs[i].placement;
    row.policy = runs[i].policy;
    row.seed = runs[i].seed;
    row.summary = runs[i].summary;
    row.fairness = runs[i].fairness;
  }
  std::string html = html_table(runs_table(shown), "Times, GPU time and fairness");
  if (const auto idle = idle_table(shown)) {
    html += html_table(*idle,
                       "GPU hours idle while jobs waited for them, by what kept the first from "
                       "starting");
  }
  const std::string why = rejections(runs);
  return why.empty() ? html : html + "<p>" + escape_html(why) + "</p>\n";
}

// headroom where it is there, else the first.
std::size_t first_shown(const std::vector<Combination>& drawn) {
  const auto own = std::find_if(drawn.begin(), drawn.end(), [](const Combination& one) {
    return one.first->policy == "headroom";
  });
  return own == drawn.end() ? 0 : static_cast<std::size_t>(own - drawn.begin());
}

Json data_of(const Simulation& simulation, const std::vector<Combination>& all,
             const std::vector<Combination>& drawn, const ShownQueues& queues) {
  Json pictures = Json::array();
  for (const Combination& one : drawn) {
    Json picture = picture_json(*one.first, queues);
    picture["name"] = one.name;
    pictures.push_back(std::move(picture));
  }
  Json causes = Json::array();
  for (std::size_t i = 0; i < simulate::kCauses; ++i) {
    causes.push_back({{"name", simulate::kCauseNames[i]}, {"colour", kCauseColours[i]}});
  }
  return {{"waits", waits_json(simulation, all)},
          {"causes", std::move(causes)},
          {"pictures", std::move(pictures)}};
}

std::string waits_legend(const Simulation& simulation, const std::vector<Combination>& all) {
  std::string html;
  for (std::size_t i = 0; i < std::min(all.size(), kMostLines); ++i) {
    html += legend_button(style_of(simulation, *all[i].first, i), all[i].name);
  }
  return html;
}

}  // namespace

std::string simulate_report(const SimulateOptions& options, const Simulation& simulation,
                            const std::vector<SimulateRun>& runs) {
  const std::vector<Combination> all = combinations_of(simulation, runs);
  const std::vector<Combination> drawn(
      all.begin(),
      all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), Simulation::kMostDrawn)));
  const ShownQueues queues = shown_queues(*drawn.front().first);
  const std::string body = fill_template(
      embedded(headroom_simulate_report_html, headroom_simulate_report_html_end),
      {{"title", kTitle},
       {"headline", escape_html(headline(simulation, runs))},
       {"facts", facts(options, simulation)},
       {"limits", limits(simulation, all.size(), drawn.size())},
       {"run_tables", run_tables(runs)},
       {"waits_legend", waits_legend(simulation, all)},
       {"waits_table", html_table(waits_table(all), "Jobs that waited at most so long, %")},
       {"selector", selector(drawn, first_shown(drawn))},
       {"seed", simulation.seeds.size() > 1
                    ? fmt::format(" Drawn with seed {}.", simulation.seeds.front())
                    : ""},
       {"queue_legend", queue_legend(queues)},
       {"cause_legend", cause_legend(drawn)},
       {"columns", std::to_string(kGanttColumns)},
       {"gantts", gantts(drawn, simulation)},
       {"time_tables", time_tables(drawn, queues)},
       {"queue_tables", queue_tables(drawn)},
       {"assumptions", escape_html(assumptions(options))}});
  return report_page(
      {.title = kTitle,
       .body = body,
       .data = report_json(data_of(simulation, all, drawn, queues)),
       .style = embedded(headroom_simulate_report_css, headroom_simulate_report_css_end),
       .script = embedded(headroom_simulate_report_js, headroom_simulate_report_js_end)});
}

}  // namespace headroom::cli

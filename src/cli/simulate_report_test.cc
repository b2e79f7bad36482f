#include "cli/simulate_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/simulate_gantt.h"
#include "cli/simulate_pictures.h"

namespace headroom::cli {
namespace {

SimulateOptions example() {
  SimulateOptions options;
  options.site = std::string(HEADROOM_SOURCE_DIR) + "/examples/cluster.yaml";
  options.jobs = std::string(HEADROOM_SOURCE_DIR) + "/examples/history.csv";
  options.report = "out.html";
  return options;
}

struct Made {
  Simulation simulation;
  std::vector<SimulateRun> runs;
  std::string page;
};

// `change` may change the input before it is replayed.
Made make(
    const SimulateOptions& options, const std::function<void(Simulation&)>& change = [](auto&) {}) {
  std::vector<std::string> notes;
  auto simulation = read_simulation(options, notes);
  if (!simulation) throw std::runtime_error(simulation.error().message);
  Made made{.simulation = std::move(*simulation), .runs = {}, .page = {}};
  change(made.simulation);
  auto runs = run_simulation(made.simulation, {.threads = 1});
  if (!runs) throw std::runtime_error(runs.error().message);
  made.runs = std::move(*runs);
  made.page = simulate_report(options, made.simulation, made.runs);
  return made;
}

nlohmann::json data_of(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t start = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(SimulateReport, SameInputSameBytes) { EXPECT_EQ(make(example()).page, make(example()).page); }

TEST(SimulateReport, LoadsNothingFromElsewhere) {
  const std::string page = make(example()).page;
  for (const char* part : {"src=\"", "src='", "@import", "url(", "<link rel=\"stylesheet\""}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Released under the MIT License"), std::string::npos);
}

TEST(SimulateReport, NamesCannotBecomeMarkup) {
  const std::string evil = "</script><script>alert(\"x\")'";
  const Made made = make(example(), [&](Simulation& simulation) {
    auto history = std::make_shared<model::History>(simulation.jobs());
    for (model::HistoricJob& one : history->jobs) {
      one.id += evil;
      one.job.queue = evil;
    }
    for (Variation& variation : simulation.variations) {
      variation.input.jobs = history;
      variation.input.queues = {{.name = "<"}, {.name = evil}};
      variation.input.windows.clear();  // they name queues
    }
  });
  EXPECT_EQ(made.page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(count(made.page, "<script"), 3);  // data, Chart.js, ours
  EXPECT_EQ(count(made.page, "</script"), 3);
  EXPECT_NE(made.page.find("&lt;script&gt;alert(&quot;x&quot;)"), std::string::npos);
  EXPECT_EQ(data_of(made.page)["pictures"][0]["gpus"][0]["name"], evil);
}

// At every step, all that there is adds up to the GPUs of the cluster; queues hold what they hold.
TEST(SimulateReport, GpusAddUp) {
  SimulateOptions options = example();
  options.policies = {"las", "headroom"};
  options.mtbf = "3d";
  const Made made = make(options);
  for (const SimulateRun& run : made.runs) {
    const ShownQueues queues = shown_queues(run);
    const GpuSteps steps = gpu_steps(run, queues);
    const simulate::Timeline& timeline = run.result.timeline;
    double gpu_ms = 0, out = 0;
    for (std::size_t i = 0; i < timeline.steps().size(); ++i) {
      double sum = steps.gathering[i] + steps.free[i] + steps.unusable[i] + steps.out[i];
      for (const auto& held : steps.queues) {
        sum += held[i];
        gpu_ms += held[i] * static_cast<double>(timeline.length_of(i).value());
      }
      EXPECT_NEAR(sum, steps.most, 1e-6) << run.policy << " step " << i;
      for (const auto* values : {&steps.free, &steps.unusable, &steps.out}) {
        EXPECT_GE((*values)[i], -1e-9);
      }
      out += steps.out[i];
    }
    double hours = 0;
    for (const simulate::QueueSummary& queue : run.queues) hours += queue.gpu_h;
    EXPECT_NEAR(gpu_ms / 3'600'000, hours, 1e-6) << run.policy;
    EXPECT_GT(out, 0);
  }
}

TEST(SimulateReport, ManyQueuesShareTheLastColour) {
  SimulateRun run;
  for (int i = 0; i < 12; ++i) {
    run.queues.push_back({.queue = "q" + std::to_string(i), .gpu_h = 1.0 + i});
  }
  const ShownQueues queues = shown_queues(run);
  EXPECT_EQ(queues.size(), 9u);
  EXPECT_EQ(queues.name(0), "q11");
  EXPECT_EQ(queues.name(8), "4 other queues");
  EXPECT_EQ(queues.place_of("q11"), 0u);
  EXPECT_EQ(queues.place_of("q0"), 8u);
}

TEST(SimulateReport, WaitsAreThoseOfTheRuns) {
  SimulateOptions options = example();
  options.policies = {"fifo"};
  const Made made = make(options);
  const auto waits = data_of(made.page)["waits"];
  ASSERT_EQ(waits["lines"].size(), 1u);
  const auto& percent = waits["lines"][0]["percent"];
  int jobs = 0, hour = 0;
  for (const simulate::JobRun& run : made.runs[0].result.jobs) {
    if (!simulate::ran_to_its_end(run)) continue;
    ++jobs;
    hour += base::between(run.submitted, run.first_start) <= base::Duration{3'600'000} ? 1 : 0;
  }
  const auto& times = waits["at_most"];
  const auto at = std::find(times.begin(), times.end(), 3600.0) - times.begin();
  ASSERT_LT(at, static_cast<std::ptrdiff_t>(percent.size()));
  EXPECT_NEAR(percent[static_cast<std::size_t>(at)], 100.0 * hour / jobs, 0.01);
  EXPECT_EQ(percent.back(), 100.0);
}

TEST(SimulateReport, LargestJobsAreByGpuTime) {
  const Made made = make(example());
  const auto largest = largest_jobs(made.simulation.jobs(), 24);
  ASSERT_EQ(largest.size(), 24u);
  const auto size = [&](std::uint32_t job) {
    const model::HistoricJob& one = made.simulation.jobs().jobs[job];
    return model::gpus_of(one.job) * one.run.value();
  };
  for (std::size_t i = 1; i < largest.size(); ++i) {
    EXPECT_GE(size(largest[i - 1]), size(largest[i]));
  }
}

// One job: waits for a quarter, runs for a quarter, is stopped having lost half of that, waits, and
// runs to its end.
TEST(SimulateReport, APictureOfALife) {
  auto history = std::make_shared<model::History>();
  model::HistoricJob& job = history->jobs.emplace_back();
  job.id = "7";
  job.job.groups[0].request.gpu = {.kind = model::GpuRequest::Kind::kWhole, .count = 2};
  job.run = base::Duration{3'000};
  Variation variation;
  variation.input.jobs = history;
  SimulateRun run{.variation = &variation};
  const auto at = [](std::int64_t ms) { return base::Time{ms}; };
  run.result.first = at(0);
  run.result.last = at(8'000);
  run.result.jobs = {{.job = 0,
                      .submitted = at(0),
                      .first_start = at(2'000),
                      .end = at(8'000),
                      .ran = base::Duration{4'000},
                      .lost = base::Duration{1'000},
                      .outcome = schedule::JobOutcome::kCompleted}};
  run.result.stretches = {
      {.job = 0,
       .start = at(2'000),
       .end = at(4'000),
       .kept = base::Duration{1'000},
       .how = simulate::StretchEnd::kStopped},
      {.job = 0, .start = at(6'000), .end = at(8'000), .kept = base::Duration{2'000}}};
  const std::string html = gantt_html(run, {0}, "a run");
  EXPECT_NE(html.find(R"(<path class="w" d="M0 7h200v2h-200zM400 7h200v2h-200z"/>)"),
            std::string::npos);
  EXPECT_NE(html.find(R"(<path class="k" d="M200 1h100v14h-100zM600 1h200v14h-200z"/>)"),
            std::string::npos);
  EXPECT_NE(html.find(R"(<path class="l" d="M300 9h100v6h-100z"/>)"), std::string::npos);
  EXPECT_NE(html.find(R"(<path class="s" d="M400 0v16"/>)"), std::string::npos);
  EXPECT_EQ(html.find("class=\"f\""), std::string::npos);
  EXPECT_NE(html.find("<td>2 s</td><td>4 s</td><td>1</td><td>1 s</td>"), std::string::npos);
}

TEST(SimulateReport, DrawsAFewOfManyAndSaysSo) {
  SimulateOptions options = example();
  options.policies = {"fifo"};
  options.sweeps = {"nodes=32-45"};
  options.seeds = "1-2";
  options.mtbf = "30d";
  const Made made = make(options);
  const auto data = data_of(made.page);
  EXPECT_EQ(data["pictures"].size(), Simulation::kMostDrawn);
  EXPECT_EQ(data["waits"]["lines"].size(), 14u);
  EXPECT_NE(made.page.find("Of 14 combinations the first 12 are drawn over time"),
            std::string::npos);
  EXPECT_EQ(count(made.page, "<tr><th scope=\"row\">fifo</th><td>"), 2 * 28);  // runs; idle GPUs
  for (std::size_t i = 0; i < made.runs.size(); ++i) {
    EXPECT_EQ(made.runs[i].result.jobs.empty(), i % 2 == 1 || i >= 24) << i;
  }
}

}  // namespace
}  // namespace headroom::cli

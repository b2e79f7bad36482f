// headroom simulate: a history of jobs through the scheduler, in virtual time.
//
// Every combination of swept settings x placement x policy x seed is one run. Runs depend on
// nothing but their own arguments and stand in this order, so that nothing that is printed depends
// on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parallel.h"
#include "formats/site_settings.h"
#include "simulate/fairness.h"
#include "simulate/predictions.h"
#include "simulate/replay.h"
#include "simulate/summary.h"
#include "simulate/wait_counts.h"

namespace headroom::cli {

struct SimulateOptions {
  std::string site;
  std::string jobs;
  std::string format = "auto";
  std::string cluster;                  // of a dump of several
  std::vector<std::string> policies;    // empty: fifo, easy and headroom
  std::vector<std::string> placements;  // empty: headroom_learned
  std::vector<std::string> settings;    // "key=value"
  std::vector<std::string> sweeps;      // "key=A-B"
  std::string seeds = "1";
  std::string faults;  // a file
  std::string mtbf;    // empty: nodes do not fail by themselves
  std::string repair = "4h";
  std::vector<std::string> slurm_conf;  // files, or folders with a slurm.conf
  std::string time_zone;
  std::string checkpoint = "30min";
  std::string restart = "5min";
  std::int64_t reservations = 1;
  std::int64_t threads = 0;  // 0: one a core
  std::string output;        // table, json, csv
  std::string job_log;       // a file
  std::string report;        // a file
  bool queues = false;       // the table of queues also with several runs
  bool predictions = false;  // how good those of run times were
  bool lenient = false;
  bool observed = false;
  std::string from;        // with observed: begin of the dump; empty: not known
  std::string resolution;  // with observed; empty: 5 s
};

// The cluster and its queues with one combination of the swept settings.
struct Variation {
  std::vector<formats::Setting> sweep;  // empty: nothing is swept
  simulate::ReplayInput input;
};

struct Simulation {
  std::vector<Variation> variations;  // at least one, all with the same jobs
  std::vector<std::string> placements;
  std::vector<std::string> policies;
  std::vector<std::uint64_t> seeds;
  // Of each run, or of those that the report draws, beyond their summary: they are large.
  bool keep_results = false;
  bool keep_drawn = false;
  bool predictions = false;

  const model::History& jobs() const { return *variations.front().input.jobs; }
  std::size_t size() const {
    return variations.size() * placements.size() * policies.size() * seeds.size();
  }
  // The report draws what happened over time with the first seed, for the first so many of the
  // combinations of the others: a page of all could be of any size.
  static constexpr std::size_t kMostDrawn = 12;
  bool draws(std::size_t index) const {
    return index % seeds.size() == 0 && index / seeds.size() < kMostDrawn;
  }
  bool keeps_result(std::size_t index) const {
    return keep_results || (keep_drawn && draws(index));
  }
};

struct SimulateRun {
  const Variation* variation = nullptr;
  std::string placement;
  std::string policy;
  std::uint64_t seed = 0;
  simulate::ReplayResult result;  // empty, unless it is kept
  simulate::Summary summary;
  simulate::Fairness fairness;
  std::vector<simulate::QueueSummary> queues;  // by tenant, as the ratios
  simulate::WaitCounts waits;
  std::optional<simulate::Predictions> predictions;
};

// Reads the files and checks everything; queues that jobs name and the site does not are added, of
// equal weight. `notes` gets a line for what was added or left out.
base::Result<Simulation> read_simulation(const SimulateOptions& options,
                                         std::vector<std::string>& notes);

// The same without sweeps, for the first policy (headroom where none is named), placement and seed.
base::Result<simulate::ReplayInput> read_replay(SimulateOptions options,
                                                std::vector<std::string>& notes);

// The arguments of run number `index`.
simulate::ReplayInput input_of(const Simulation& simulation, std::size_t index);

// Pieces of work of run_simulation, for its progress: runs, and each tenant alone.
std::size_t work_of(const Simulation& simulation);

// All runs, in their order. What tenants would have alone is worked out once for each variation.
base::Result<std::vector<SimulateRun>> run_simulation(const Simulation& simulation,
                                                      const ParallelControl& control);

std::string simulate_json(const SimulateOptions& options, const Simulation& simulation,
                          const std::vector<SimulateRun>& runs, double seconds);
std::string simulate_csv(const std::vector<SimulateRun>& runs);
// With a table of queues for a single run, or where the options ask for it. `width` 0: no limit.
std::string simulate_table(const SimulateOptions& options, const std::vector<SimulateRun>& runs,
                           std::size_t width);

// What was taken for granted, in words.
std::string assumptions(const SimulateOptions& options);

// Each job of each run: CSV, or JSON lines where the file's name ends so.
std::string simulate_job_log(const std::string& path, const std::vector<SimulateRun>& runs);

}  // namespace headroom::cli

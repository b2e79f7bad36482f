// History: what happened to jobs on some cluster, as its accounting tells. It is what a replay is
// made of: when each job was submitted, what it asked for, how long it truly ran and how it ended.
//
// Rows of the source that did not become a job are counted by reason, and what a reader had to
// infer, or the source does not say, is told in `notes`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "model/job.h"
#include "model/queue.h"

namespace headroom::model {

enum class Outcome : std::uint8_t {
  kCompleted,
  kFailed,
  kCancelled,
  kTimedOut,
  kNodeFailed,
  kPreempted,
  kOutOfMemory,
  kRejected,  // could never have run
  kRunning,   // when the history was written; so are the next two
  kWaiting,
  kHeld,
};

// Whether nothing more will happen to such a job.
constexpr bool is_final(Outcome outcome) { return outcome < Outcome::kRunning; }

struct HistoricJob {
  std::string id;  // as the source writes it: "4711", "123_4"; unique
  std::int64_t number =
      0;  // the number that dependencies name: of an element, its array's; 0: none
  std::int64_t element = -1;  // index in the array; -1: of none
  Job job;                    // `after` names numbers; `array` is not set: elements are jobs
  base::Time submit;
  base::Time eligible;  // not before dependencies and begin time; 0: not known
  base::Time start;     // of the last attempt; 0: it never started, or not known
  base::Time end;       // 0: it has not ended, or not known
  base::Duration run;   // how long a replay lets it run; 0: not known, or it never ran
  Outcome outcome = Outcome::kCompleted;
  std::int64_t nodes = 0;     // allocated; 0: not known
  std::string node_names;     // their pattern: "n[1-4]"; empty: not known
  std::int64_t restarts = 0;  // attempts that were requeued before the last one
  std::string account;        // Slurm's words; empty elsewhere
  std::string partition;
  std::string qos;

  friend bool operator==(const HistoricJob&, const HistoricJob&) = default;
};

struct LeftOut {
  std::string reason;
  std::int64_t rows = 0;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct History {
  std::string format;             // "sacct", "gavel", …
  std::string cluster;            // its name; empty: not known
  std::vector<HistoricJob> jobs;  // by submission, then as in the source
  std::vector<LeftOut> left_out;  // in the order in which the reasons came up
  std::vector<std::string> notes;

  void leave_out(std::string_view reason, std::int64_t rows = 1);
  std::int64_t rows_left_out() const;
  void note(std::string text);  // once

  // Brings the jobs into their order. O(n log n).
  void sort_jobs();
};

// Numbers of jobs that wait for each other in a circle, in its order; empty: there is none. Numbers
// that no job has are no part of one. O((jobs + dependencies) * log jobs).
std::vector<std::int64_t> dependency_cycle(const History& history);
// Takes the dependencies of one job of each circle away. Returns how many jobs lost theirs.
std::int64_t drop_dependency_circles(History& history);

// Names the queues of jobs by their full path where a job names only its end, as Slurm's accounts
// do: vision becomes research/vision when no other queue ends so. Returns the names that stand for
// no queue, sorted. O(jobs * log queues).
std::vector<std::string> match_queues(History& history, const std::vector<Queue>& queues);

// Whole GPUs that the job asks for, over all tasks: a share counts as one.
std::int64_t gpus_of(const Job& job);

}  // namespace headroom::model

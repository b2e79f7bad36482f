// Engine: where jobs really run. An engine starts and stops what it is told and reports what
// happened; it never decides. One contract suite (engine/contract_test.h) tests all of them.
//
// Never twice: every order carries (job, attempt, epoch). An engine refuses an order whose epoch is
// lower than one it has seen, and repeating an order with the same id changes nothing. After a
// restart the server compares `list()` with its journal before it starts anything new.
//
// Calls return at once (what takes time is reported later) and come from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "model/cluster.h"
#include "model/job.h"
#include "model/placement.h"

namespace headroom::engine {

// Where one task runs.
struct TaskLaunch {
  std::int64_t group = 0;  // index in Job::groups
  std::int64_t task = 0;   // index in the group
  std::int64_t rank = 0;   // over all groups
  std::string node;
  std::vector<model::DeviceUse> devices;
};

struct Launch {
  model::AllocationId id;
  std::uint64_t epoch = 0;
  model::Job job;                 // run, env, workdir, output, checkpoint signal, requests
  std::string cluster;            // its name
  std::vector<TaskLaunch> tasks;  // by group, then task
  base::Duration limit;           // run time after which it is stopped; 0: none
};

// The checkpoint signal of the job first (if it has one and `checkpoint` says so), TERM when its
// time is over, KILL after the grace.
struct Stop {
  model::AllocationId id;
  std::uint64_t epoch = 0;
  bool checkpoint = true;
  base::Duration grace{30'000};  // between TERM and KILL
};

// What happened.
struct Report {
  enum class Kind : std::uint8_t {
    kStarted,       // all tasks run
    kTaskEnded,     // one task completed, others go on
    kEnded,         // no process is left: its resources are free
    kLaunchFailed,  // nothing runs; `detail` says why
    kLost           // the engine cannot say what became of it, and no process is left
  };
  Kind kind = Kind::kStarted;
  model::AllocationId id;
  std::uint64_t epoch = 0;  // of the launch
  std::int64_t group = 0;   // kTaskEnded
  std::int64_t task = 0;
  int exit_code = 0;  // kEnded, kTaskEnded: of the first task that failed, else 0
  int signal = 0;     // that ended it; 0: none
  bool out_of_memory = false;
  bool timed_out = false;  // stopped at its limit
  bool stopped = false;    // by an order
  std::string detail;      // one line for people
  friend bool operator==(const Report&, const Report&) = default;
};

// An allocation that the engine holds resources for.
struct Running {
  model::AllocationId id;
  std::uint64_t epoch = 0;
  bool started = false;
  friend bool operator==(const Running&, const Running&) = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // An error: refused, nothing was started and no report will come.
  virtual base::Result<void> launch(const Launch& launch) = 0;

  // Of what does not run (any more): no effect.
  virtual base::Result<void> stop(const Stop& stop) = 0;

  // What it holds resources for now, by id; also what was started by a server before this one.
  virtual base::Result<std::vector<Running>> list() = 0;

  // What happened since the last call, in order. Reports are kept by the engine until `forget`, so
  // that a server that dies before it wrote them down hears of them again (at the next open).
  virtual std::vector<Report> reports() = 0;

  // The end of this allocation is in the journal: the engine may forget it. (Logs stay.)
  virtual void forget(const model::AllocationId& id) = 0;

  // Called from any thread when reports() would return something.
  virtual void on_report(std::function<void()> wake) = 0;

  // What it cannot guarantee on this machine, a line each ("memory limits are not enforced: …").
  virtual std::vector<std::string> limitations() const = 0;
};

}  // namespace headroom::engine

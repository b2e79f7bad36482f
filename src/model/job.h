// Job: what a user asks for, one member for each key of job.yaml (docs: interfaces, "Files"). A job
// is one or more groups of equal tasks; the short form of the file is one group without a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "model/fabric.h"
#include "model/request.h"

namespace headroom::model {

enum class JobKind : std::uint8_t { kTraining, kFineTuning, kBatch, kService, kWorkspace };

std::string_view to_text(JobKind kind);  // as job.yaml spells it

// Unless the job says otherwise: training, fine-tuning and batch yes; service and workspace no.
constexpr bool preemptible_by_default(JobKind kind) {
  return kind == JobKind::kTraining || kind == JobKind::kFineTuning || kind == JobKind::kBatch;
}

struct TaskGroup {
  std::string name;  // empty: the only group
  std::int64_t tasks = 1;
  Request request;  // of each task
  friend bool operator==(const TaskGroup&, const TaskGroup&) = default;
};

// Sent to the tasks so long before they must end; an empty name: none.
struct SignalSpec {
  std::string name;  // "USR1"
  base::Duration before;
  friend bool operator==(const SignalSpec&, const SignalSpec&) = default;
};

struct CheckpointSpec {
  base::Duration every;
  base::Bytes size;  // 0: not given
  SignalSpec signal;
  friend bool operator==(const CheckpointSpec&, const CheckpointSpec&) = default;
};

struct TopologySpec {
  std::optional<Level> required;
  std::optional<Level> preferred;
  std::int64_t segment = 0;  // tasks that stay in one domain together; 0: none
  friend bool operator==(const TopologySpec&, const TopologySpec&) = default;
};

struct Dependency {
  enum class Kind : std::uint8_t { kOk, kAny, kFailed, kStarted };
  Kind kind = Kind::kOk;
  std::int64_t job = 0;
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

struct ArraySpec {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t most_running = 0;  // at a time; 0: all
  friend bool operator==(const ArraySpec&, const ArraySpec&) = default;
};

struct ElasticSpec {  // in tasks
  std::int64_t min = 0;
  std::int64_t max = 0;
  friend bool operator==(const ElasticSpec&, const ElasticSpec&) = default;
};

struct DataSpec {
  std::string storage;
  base::Bytes read_per_step;
  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

struct Job {
  std::string job;   // short name
  std::string name;  // to show; empty: the short one
  std::string queue;
  std::string user;  // empty: who submits
  JobKind kind = JobKind::kBatch;
  std::string model;  // what is trained or served
  std::vector<TaskGroup> groups{1};
  std::int64_t priority = 0;
  std::optional<bool> preemptible;  // none: by kind
  std::int64_t gang = 0;            // fewest tasks that may run; 0: all
  std::optional<ElasticSpec> elastic;
  std::optional<ArraySpec> array;
  std::vector<Dependency> after;
  base::Time begin;         // 0: at once
  base::Time deadline;      // 0: none
  base::Duration time;      // limit; 0: none
  base::Duration expected;  // 0: not known
  base::Duration restart_cost;
  std::int64_t retries = 0;
  bool hold = false;
  std::optional<CheckpointSpec> checkpoint;
  std::optional<TopologySpec> topology;
  std::optional<DataSpec> data;
  std::string run;
  std::vector<std::pair<std::string, std::string>> env;  // sorted by name
  std::string workdir;
  std::string output;

  std::int64_t tasks() const;
  std::int64_t gang_minimum() const { return gang == 0 ? tasks() : gang; }
  bool is_preemptible() const { return preemptible.value_or(preemptible_by_default(kind)); }

  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace headroom::model

// Control groups: limits of CPU and memory, what was killed for want of memory, and which processes
// an allocation has. Version 2 with its controllers where they are there, else version 1; both may
// be mounted (then 2 still kills a whole group at once). All groups are made below the group that
// this process is in:
//
//   <own group>/headroom-1a2b/1041-2.5f0c/rank-0
//
// Limits are hard: `cpus` becomes a quota of a 100 ms period, `memory` a maximum without swap.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/local_plan.h"

namespace headroom::engine {

// Where groups can be made; empty: they cannot. With version 2, all three are the same folder.
struct CgroupBases {
  std::string all;  // version 2
  std::string cpu;
  std::string memory;
};

// Makes them, and leaves its own group if that has to be empty for the controllers of version 2.
// `name` keeps the engines of one machine apart. `root` stands before /proc and /sys; empty but in
// tests.
CgroupBases find_cgroups(const std::string& name, const std::string& root = "");
// Removes those that are empty.
void leave_cgroups(const CgroupBases& bases);

// The groups of one allocation, named in its plan.
class AllocationGroups {
 public:
  explicit AllocationGroups(const LocalPlan& plan) : plan_(&plan) {}

  base::Result<void> make() const;
  // Forks into the task's group of version 2, which costs much less than to enter it later; -1 with
  // errno. In the child, join() then enters the groups of version 1.
  pid_t fork_into(const LocalTask& task) const;
  base::Result<void> join(const LocalTask& task) const;
  // How many processes of the task were killed for want of memory.
  std::int64_t out_of_memory(const LocalTask& task) const;
  std::vector<pid_t> processes() const;
  // At once, also while they fork. False: not possible here.
  bool kill() const;
  // Only without processes.
  void remove() const;

 private:
  std::vector<std::string> folders() const;  // of the allocation, no two equal
  std::string place(const std::string& folder, const LocalTask& task) const;
  const LocalPlan* plan_;
};

}  // namespace headroom::engine

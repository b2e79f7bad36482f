// Fragmentation: how much of a node's idle GPU is of no use to the tasks that are to be expected
// (Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 4; rules in docs/placement.md).
//
// For a node with R idle GPU milli and one class of tasks: if the node can run such a task, what
// lies on GPUs too small for it is fragment; if not (CPU, model or GPUs lacking), all R is; for a
// class without GPUs, all R is. F(node) is the mean over the classes by their frequency.
//
// Everything is whole numbers: F is returned multiplied by `weight()`, the sum of the class counts.
// A GPU in MIG mode counts its free slices as idle and is too small for anything but instances that
// its layout still admits.
//
// Method: with W the sum of all counts, c the free CPU, g_i the free milli of GPU i, n the number
// of idle GPUs, one(c, g) the count of the one-GPU classes that want at most c and g, and many(c,
// n) that of the classes that want at most c and n whole GPUs, the definition collapses to
//
//   W F = W R - sum_i g_i one(c, g_i) - 1000 n many(c, n)
//
// (in words: what is on a GPU is of use to the classes that this GPU suits). one and many are
// summed up once in tables, so F costs one look-up a GPU instead of a loop over all classes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/cluster.h"
#include "schedule/demand.h"
#include "schedule/placement.h"
#include "schedule/task_mix.h"

namespace headroom::schedule {

class Fragmentation {
 public:
  Fragmentation(const model::Cluster& cluster, const TaskMix& classes);

  std::int64_t weight() const { return weight_; }

  // weight() x F of the node. O(GPUs), plus O(MIG classes x GPUs) when there are such.
  std::int64_t of(const NodeState& node, model::ShapeId shape) const;

  // The sums from which F follows (see "Method"), for trying what a task would change without
  // going over the GPUs again. Without MIG classes only: `exact_for` says so.
  struct Sums {
    std::int64_t idle;       // R
    std::int64_t of_use;     // sum_i g_i one(c, g_i)
    std::int64_t idle_gpus;  // n
    const std::uint16_t* level;
    const std::int64_t* one;   // row of the free CPU c
    const std::int64_t* many;  // the same

    // A task takes `milli` of a GPU that has `free`, or `count` idle GPUs.
    void take_share(int free, int milli) {
      idle -= milli;
      of_use += (free - milli) * one[level[free - milli]] - free * one[level[free]];
      idle_gpus -= free == kDeviceMilli ? 1 : 0;
    }
    void take_whole(int count) {
      idle -= std::int64_t{kDeviceMilli} * count;
      of_use -= std::int64_t{kDeviceMilli} * count * one[level[kDeviceMilli]];
      idle_gpus -= count;
    }
  };

  bool exact_for(model::ShapeId shape) const { return tables_[shape.index()].mig_classes.empty(); }
  // `cpu`: what is taken to be free, in place of the node's own.
  Sums sums(const NodeState& node, model::ShapeId shape, base::CpuMilli cpu) const;
  std::int64_t of(const Sums& sums) const {
    return weight_ * sums.idle - sums.of_use -
           kDeviceMilli * sums.idle_gpus * sums.many[sums.idle_gpus];
  }

 private:
  struct MigClass {
    base::CpuMilli cpu;
    Demand demand;
    std::int64_t count;
  };

  // The classes as nodes of one shape see them.
  struct Table {
    int gpus = 0;
    int slices = 8;
    const MigTable* mig = nullptr;
    std::array<std::uint16_t, kDeviceMilli + 1> level{};  // milli -> number of sizes not above it
    std::vector<std::int64_t> cpus;                       // distinct, ascending
    std::vector<std::uint16_t> cpu_hint;                  // free CPU / 64 -> first level to try
    std::size_t width = 1;                                // levels + 1
    std::vector<std::int64_t> one;                        // [cpu level][size level]: one(c, g)
    std::vector<std::int64_t> many;                       // [cpu level][idle GPUs]: many(c, n)
    std::vector<MigClass> mig_classes;

    std::size_t cpu_level(base::CpuMilli free) const;
  };

  static void add_sizes(Table& table, const std::vector<Demand>& demands);
  static void add_class(Table& table, const Demand& demand, std::int64_t count);
  Table build(const model::Cluster& cluster, const model::NodeShape& shape,
              const TaskMix& classes) const;
  static std::int64_t of_use_to_mig(const Table& table, const NodeState& node);

  std::int64_t weight_ = 0;
  std::vector<MigTable> mig_tables_;  // by GPU model
  std::vector<Table> tables_;         // by shape
};

}  // namespace headroom::schedule

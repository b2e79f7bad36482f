// DemandStatistics: what tasks ask for, summed up: how many GPU shares of each size, how much goes
// to tasks with several GPUs and to tasks that need certain models, and how much CPU comes with a
// GPU. Counted from a whole task list, or from the tasks that have arrived.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "model/cluster.h"
#include "model/request.h"
#include "schedule/device.h"

namespace headroom::schedule {

using ModelSet = std::vector<model::GpuModelId>;  // sorted

class DemandStatistics {
 public:
  // Adds `count` tasks with this request. Tasks without GPUs, tasks that fit no empty node, and MIG
  // instances (whose size is a layout, not a share) do not count.
  void add(const model::Request& request, const model::Cluster& cluster, double count);

  const std::array<double, kDeviceMilli + 1>& devices_by_size() const { return by_size_; }
  double gang_milli(int gpus) const { return by_gang_[static_cast<std::size_t>(gpus)]; }
  const std::map<ModelSet, double>& milli_by_models() const { return by_models_; }
  double cpu() const { return cpu_; }      // milli, of tasks with GPUs
  double milli() const { return milli_; }  // GPU milli

 private:
  std::array<double, kDeviceMilli + 1> by_size_{};
  std::array<double, model::kMaxGpusPerNode + 1> by_gang_{};
  std::map<ModelSet, double> by_models_;
  double cpu_ = 0;
  double milli_ = 0;
};

}  // namespace headroom::schedule

// The GPUs of this machine, and how a task is told which are its own (CUDA_VISIBLE_DEVICES). Where
// NVIDIA's management library (NVML) is installed, devices are named by their UUIDs, MIG instances
// too; it is loaded at run time, so that the program needs no driver. Elsewhere GPUs are what
// cluster.yaml declares, and are named by their indices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace headroom::engine {

// One GPU as NVML has it.
struct GpuDevice {
  std::string uuid;  // "GPU-…"
  std::string name;
  std::int64_t memory = 0;  // bytes
};

class LocalDevices {
 public:
  // `library`: its file name; empty: none.
  explicit LocalDevices(const std::string& library);
  ~LocalDevices();
  LocalDevices(const LocalDevices&) = delete;
  LocalDevices& operator=(const LocalDevices&) = delete;

  bool found() const { return nvml_ != nullptr; }
  const std::vector<GpuDevice>& gpus() const { return gpus_; }
  // Why NVML is not used; empty when it is.
  const std::string& why_not() const { return why_not_; }

  // The value of CUDA_VISIBLE_DEVICES; empty for no devices: none is visible. An error: a device
  // that this machine does not have, or not cut so. (MIG is asked anew: it changes.)
  base::Result<std::string> visible(const std::vector<model::DeviceUse>& devices) const;

 private:
  struct Nvml;
  base::Result<std::string> name_of(const model::DeviceUse& device) const;

  std::unique_ptr<Nvml> nvml_;
  std::vector<GpuDevice> gpus_;
  std::string why_not_;
};

}  // namespace headroom::engine

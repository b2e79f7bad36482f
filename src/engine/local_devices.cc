#include "engine/local_devices.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace headroom::engine {

using base::fail;
using base::Result;

namespace {

// The few of NVML's declarations that are needed (its API reference; ABI stable since version 11).
using NvmlDevice = struct NvmlDeviceTag*;
using NvmlGpuInstance = struct NvmlGpuInstanceTag*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlPlacement {
  unsigned start, size;  // in memory slices
};
struct NvmlGpuInstanceInfo {
  NvmlDevice device;
  unsigned id, profile;
  NvmlPlacement placement;
};
constexpr int kNvmlSuccess = 0;
constexpr unsigned kTextSize = 96;  // of names and UUIDs

}  // namespace

struct LocalDevices::Nvml {
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, NvmlDevice*) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*mig_most)(NvmlDevice, unsigned*) = nullptr;
  int (*mig_handle)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
  int (*mig_instance_id)(NvmlDevice, unsigned*) = nullptr;
  int (*instance)(NvmlDevice, unsigned, NvmlGpuInstance*) = nullptr;
  int (*instance_info)(NvmlGpuInstance, NvmlGpuInstanceInfo*) = nullptr;

  template <class Function>
  void load(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
  }

  void load_all() {
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(count, "nvmlDeviceGetCount_v2");
    load(handle, "nvmlDeviceGetHandleByIndex_v2");
    load(uuid, "nvmlDeviceGetUUID");
    load(name, "nvmlDeviceGetName");
    load(memory, "nvmlDeviceGetMemoryInfo");
    load(mig_most, "nvmlDeviceGetMaxMigDeviceCount");
    load(mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex");
    load(mig_instance_id, "nvmlDeviceGetGpuInstanceId");
    load(instance, "nvmlDeviceGetGpuInstanceById");
    load(instance_info, "nvmlGpuInstanceGetInfo");
  }

  bool has_basics() const { return init && shutdown && count && handle && uuid && name && memory; }
  bool has_mig() const {
    return mig_most && mig_handle && mig_instance_id && instance && instance_info;
  }

  std::string text(int (*get)(NvmlDevice, char*, unsigned), NvmlDevice device) const {
    char buffer[kTextSize] = {};
    return get(device, buffer, kTextSize - 1) == kNvmlSuccess ? buffer : "";
  }

  // The MIG instance whose memory begins at this slice; empty: none.
  std::string mig_uuid(unsigned gpu, int start) const {
    NvmlDevice parent = nullptr;
    unsigned most = 0;
    if (!has_mig() || handle(gpu, &parent) != kNvmlSuccess ||
        mig_most(parent, &most) != kNvmlSuccess)
      return "";
    for (unsigned i = 0; i < most; ++i) {
      NvmlDevice device = nullptr;
      unsigned id = 0;
      NvmlGpuInstance found = nullptr;
      NvmlGpuInstanceInfo info{};
      if (mig_handle(parent, i, &device) == kNvmlSuccess &&
          mig_instance_id(device, &id) == kNvmlSuccess &&
          instance(parent, id, &found) == kNvmlSuccess &&
          instance_info(found, &info) == kNvmlSuccess &&
          info.placement.start == static_cast<unsigned>(start))
        return text(uuid, device);
    }
    return "";
  }
};

LocalDevices::LocalDevices(const std::string& library) {
  if (library.empty()) {
    why_not_ = "NVML is not asked for";
    return;
  }
  auto nvml = std::make_unique<Nvml>();
  nvml->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (nvml->library == nullptr) {
    why_not_ = fmt::format("{} cannot be loaded", library);
    return;
  }
  nvml->load_all();
  unsigned count = 0;
  if (!nvml->has_basics()) {
    why_not_ = fmt::format("{} lacks functions", library);
  } else if (const int error = nvml->init(); error != kNvmlSuccess) {
    why_not_ = fmt::format("{} cannot be initialised (error {})", library, error);
  } else if (nvml->count(&count) != kNvmlSuccess) {
    why_not_ = fmt::format("{} cannot count the GPUs", library);
    nvml->shutdown();
  }
  if (!why_not_.empty()) {
    dlclose(nvml->library);
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    GpuDevice& gpu = gpus_.emplace_back();
    if (nvml->handle(i, &device) != kNvmlSuccess) continue;  // broken: has no UUID
    gpu.uuid = nvml->text(nvml->uuid, device);
    gpu.name = nvml->text(nvml->name, device);
    NvmlMemory memory{};
    if (nvml->memory(device, &memory) == kNvmlSuccess)
      gpu.memory = static_cast<std::int64_t>(memory.total);
  }
  nvml_ = std::move(nvml);
}

LocalDevices::~LocalDevices() {
  if (!nvml_) return;
  nvml_->shutdown();
  dlclose(nvml_->library);
}

Result<std::string> LocalDevices::name_of(const model::DeviceUse& device) const {
  const auto index = static_cast<std::size_t>(device.gpu);
  const bool is_mig = !device.mig_profile.empty();
  if (!found())
    return is_mig ? fmt::format("MIG-{}/{}", device.gpu, device.mig_start)
                  : fmt::format("{}", device.gpu);
  if (index >= gpus_.size() || gpus_[index].uuid.empty())
    return fail(
        fmt::format("GPU {} is not there: this machine shows {}", device.gpu, gpus_.size()));
  if (!is_mig) return gpus_[index].uuid;
  std::string uuid = nvml_->mig_uuid(static_cast<unsigned>(device.gpu), device.mig_start);
  if (uuid.empty())
    return fail(fmt::format("GPU {} has no MIG instance {} at slice {}", device.gpu,
                            device.mig_profile, device.mig_start));
  return uuid;
}

Result<std::string> LocalDevices::visible(const std::vector<model::DeviceUse>& devices) const {
  std::string list;
  for (const model::DeviceUse& device : devices) {
    auto name = name_of(device);
    if (!name) return name;
    list += (list.empty() ? "" : ",") + *name;
  }
  return list;
}

}  // namespace headroom::engine

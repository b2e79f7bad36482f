// A management library as NVIDIA's, of a machine with two GPUs; the second is cut into two MIG
// instances, whose memory begins at slices 0 and 4. The tests load it in its place.
#include <cstring>

namespace {

struct Device {
  const char* uuid;
  const char* name;
  bool mig;
};
Device gpus[] = {{"GPU-0a", "NVIDIA A100", false}, {"GPU-1b", "NVIDIA A100", true}};
Device instances[] = {{"MIG-first", "", false}, {"MIG-second", "", false}};
unsigned starts[] = {0, 4};

int copy(const char* text, char* buffer, unsigned size) {
  std::strncpy(buffer, text, size);
  return 0;
}

}  // namespace

extern "C" {

struct Memory {
  unsigned long long total, free, used;
};
struct InstanceInfo {
  void* device;
  unsigned id, profile, start, size;
};

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
  if (index >= 2) return 2;
  *device = &gpus[index];
  return 0;
}
int nvmlDeviceGetUUID(Device* device, char* buffer, unsigned size) {
  return copy(device->uuid, buffer, size);
}
int nvmlDeviceGetName(Device* device, char* buffer, unsigned size) {
  return copy(device->name, buffer, size);
}
int nvmlDeviceGetMemoryInfo(Device*, Memory* memory) {
  memory->total = 80ULL << 30;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(Device* device, unsigned* most) {
  *most = device->mig ? 7 : 0;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(Device*, unsigned index, Device** instance) {
  if (index == 0 || index > 2) return 6;  // index 0 is free: not all below the count are taken
  *instance = &instances[index - 1];
  return 0;
}
int nvmlDeviceGetGpuInstanceId(Device* instance, unsigned* id) {
  *id = instance == &instances[0] ? 11 : 12;
  return 0;
}
int nvmlDeviceGetGpuInstanceById(Device*, unsigned id, unsigned** instance) {
  if (id != 11 && id != 12) return 6;
  *instance = &starts[id - 11];
  return 0;
}
int nvmlGpuInstanceGetInfo(unsigned* instance, InstanceInfo* info) {
  info->start = *instance;
  info->size = 4;
  return 0;
}

}  // extern "C"

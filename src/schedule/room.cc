#include "schedule/room.h"

#include <algorithm>
#include <bit>

namespace headroom::schedule {

namespace {

template <class Visit>
void for_each_gpu(NodeState& room, std::uint16_t mask, Visit visit) {
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    visit(room.gpus[static_cast<std::size_t>(std::countr_zero(rest))]);
  }
}

Device common(Device a, Device b) {
  if (a.is_idle()) return b;
  if (b.is_idle()) return a;
  if (a.is_mig() != b.is_mig()) return Device{};
  if (a.is_mig()) {
    const auto used = static_cast<std::uint8_t>(a.used_slices() | b.used_slices());
    return Device::mig(used, a.media_taken() || b.media_taken());
  }
  return Device::shared(std::min(a.shareable_milli(), b.shareable_milli()));
}

}  // namespace

std::int64_t idle_milli(const NodeState& room, int gpus, const MigTable* mig) {
  const int slices = mig != nullptr ? mig->slices() : 8;  // without MIG no GPU is in MIG mode
  std::int64_t idle = 0;
  for (int i = 0; i < gpus; ++i) {
    idle += room.gpus[static_cast<std::size_t>(i)].free_milli(slices);
  }
  return idle;
}

void occupy(NodeState& room, const Demand& demand, DeviceChoice devices, const MigTable* mig,
            int gpus) {
  room.cpu = std::max(base::CpuMilli{0}, room.cpu - demand.cpu);
  room.memory = std::max(base::Bytes{0}, room.memory - demand.memory);
  room.exclusive = room.exclusive || demand.exclusive;
  ++room.tasks;
  for_each_gpu(room, devices.mask, [&](Device& gpu) {
    if (demand.kind == Demand::Kind::kMig) {
      const std::uint8_t covered = mig->covered(demand.profile, devices.mig_start);
      const bool free = (gpu.is_idle() || gpu.is_mig()) && (gpu.used_slices() & covered) == 0;
      const auto used = static_cast<std::uint8_t>(gpu.used_slices() | covered);
      gpu = free ? Device::mig(used, gpu.media_taken() || demand.media) : Device{};
    } else {
      gpu = Device::shared(std::max(0, gpu.shareable_milli() - demand.milli));
    }
  });
  room.sum_up(gpus);
}

void vacate(NodeState& room, const Demand& demand, DeviceChoice devices, const MigTable* mig,
            int gpus) {
  room.cpu += demand.cpu;
  room.memory += demand.memory;
  room.exclusive = false;
  --room.tasks;
  for_each_gpu(room, devices.mask, [&](Device& gpu) {
    if (demand.kind == Demand::Kind::kMig) {
      const std::uint8_t covered = mig->covered(demand.profile, devices.mig_start);
      const auto used = static_cast<std::uint8_t>(gpu.used_slices() & ~covered);
      gpu = used == 0 ? Device::idle() : Device::mig(used, gpu.media_taken() && !demand.media);
    } else {
      gpu = Device::shared(gpu.shareable_milli() + demand.milli);
    }
  });
  room.sum_up(gpus);
}

NodeState common(const NodeState& a, const NodeState& b, int gpus) {
  NodeState both = a;
  both.cpu = std::min(a.cpu, b.cpu);
  both.memory = std::min(a.memory, b.memory);
  both.tasks = std::max(a.tasks, b.tasks);
  both.exclusive = a.exclusive || b.exclusive;
  both.schedulable = a.schedulable && b.schedulable;
  for (std::size_t i = 0; i < static_cast<std::size_t>(gpus); ++i) {
    both.gpus[i] = common(a.gpus[i], b.gpus[i]);
  }
  both.sum_up(gpus);
  return both;
}

bool fits_on(const NodeState& room, const Demand& demand, DeviceChoice devices,
             const MigTable* mig) {
  if (!fits(room, demand, mig)) return false;
  for (unsigned rest = devices.mask; rest != 0; rest &= rest - 1) {
    const Device gpu = room.gpus[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!device_fits(gpu, demand, mig)) return false;
    if (demand.kind == Demand::Kind::kMig &&
        (gpu.used_slices() & mig->covered(demand.profile, devices.mig_start)) != 0) {
      return false;
    }
  }
  return true;
}

std::int64_t tasks_that_fit(const NodeState& room, const Demand& demand, const MigTable* mig,
                            int gpus, std::int64_t most) {
  if (most <= 0 || !fits(room, demand, mig)) return 0;
  if (demand.exclusive) return 1;
  if (demand.kind == Demand::Kind::kNone || demand.kind == Demand::Kind::kWhole) {
    std::int64_t count = most;
    if (demand.kind == Demand::Kind::kWhole) {
      count = std::min<std::int64_t>(count, room.idle_gpus / demand.count);
    }
    if (demand.cpu > base::CpuMilli{0}) count = std::min(count, room.cpu / demand.cpu);
    if (demand.memory > base::Bytes{0}) count = std::min(count, room.memory / demand.memory);
    return count;
  }
  NodeState trial = room;
  std::int64_t count = 0;
  while (count < most && fits(trial, demand, mig)) {
    occupy(trial, demand, tightest_devices(trial, gpus, demand, mig), mig, gpus);
    ++count;
  }
  return count;
}

}  // namespace headroom::schedule

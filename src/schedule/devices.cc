#include "schedule/devices.h"

namespace headroom::schedule {

namespace {

int room_of(Device gpu, const Demand& demand, const MigTable* mig) {
  if (demand.kind == Demand::Kind::kMig) return mig->worth(gpu.used_slices());
  return gpu.shareable_milli();
}

DeviceChoice choose(const NodeState& node, int gpus, const Demand& demand, const MigTable* mig,
                    int sign) {
  DeviceChoice choice;
  if (demand.kind == Demand::Kind::kWhole) {
    int left = demand.count;
    for (int i = 0; left > 0; ++i) {
      HEADROOM_ASSERT(i < gpus);
      if (!node.gpus[static_cast<std::size_t>(i)].is_idle()) continue;
      choice.mask = static_cast<std::uint16_t>(choice.mask | 1u << i);
      --left;
    }
    return choice;
  }
  int best = -1;
  int best_room = 0;
  for (int i = 0; demand.count > 0 && i < gpus; ++i) {
    const Device gpu = node.gpus[static_cast<std::size_t>(i)];
    if (!device_fits(gpu, demand, mig)) continue;
    const int room = sign * room_of(gpu, demand, mig);
    if (best < 0 || room < best_room) {
      best = i;
      best_room = room;
    }
  }
  return best < 0 ? choice : on_device(node, best, demand, mig);
}

}  // namespace

DeviceChoice on_device(const NodeState& node, int gpu, const Demand& demand, const MigTable* mig) {
  DeviceChoice choice;
  choice.mask = static_cast<std::uint16_t>(1u << gpu);
  if (demand.kind == Demand::Kind::kMig) {
    const auto used = node.gpus[static_cast<std::size_t>(gpu)].used_slices();
    choice.mig_start = mig->start(demand.profile, used);
    HEADROOM_ASSERT(choice.mig_start != MigTable::kNoStart);
  }
  return choice;
}

DeviceChoice tightest_devices(const NodeState& node, int gpus, const Demand& demand,
                              const MigTable* mig) {
  return choose(node, gpus, demand, mig, 1);
}

DeviceChoice roomiest_devices(const NodeState& node, int gpus, const Demand& demand,
                              const MigTable* mig) {
  return choose(node, gpus, demand, mig, -1);
}

}  // namespace headroom::schedule

#include "model/hardware.h"

namespace headroom::model {

const MigProfile* GpuModel::profile(std::string_view profile_name) const {
  for (const MigProfile& candidate : mig_profiles) {
    if (candidate.name == profile_name) return &candidate;
  }
  return nullptr;
}

}  // namespace headroom::model

// Makes the plan of a supervisor from a launch: devices, variables, patterns filled in, signals by
// number.
#pragma once

#include <string>

#include "engine/local_cgroup.h"
#include "engine/local_devices.h"
#include "engine/local_engine.h"
#include "engine/local_folder.h"
#include "engine/local_plan.h"

namespace headroom::engine {

// An error: it cannot run here (a device that is not there, a signal without a number, …).
base::Result<LocalPlan> make_plan(const Launch& launch, const LocalOptions& options,
                                  const LocalFolder& folder, const LocalDevices& devices,
                                  const CgroupBases& groups);

// %j job · %a element of its array (else the job) · %x name · %t rank · %% a percent sign. Other
// pairs stay as they are.
std::string fill_in(const std::string& pattern, const Launch& launch, std::int64_t rank);

// A port of the loopback that nothing listens on now, below the range of outgoing connections; the
// search starts at a place that depends on `seed`. 0: none.
int free_port(std::uint64_t seed);

}  // namespace headroom::engine

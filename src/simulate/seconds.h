// Seconds as they are shown, for metrics and tables. Never for decisions: those are in whole
// numbers.
#pragma once

#include "base/quantity.h"

namespace headroom::simulate {

constexpr double seconds(base::Duration time) { return static_cast<double>(time.value()) / 1000.0; }

}  // namespace headroom::simulate

// Use as rows of a bill: FOCUS 1.2 (FinOps Open Cost and Usage Specification), CSV with a header.
// A row for each queue, user, kind and GPU model, and one for what was idle, so that the quantities
// add up to the hours of the nodes that were up. Prices are not known here: costs are 0 and
// `BillingCurrency` is XXX, ISO 4217's code for "no currency"; quantities are GPU-hours.
#pragma once

#include <string>

#include "store/usage.h"

namespace headroom::server::api {

std::string focus_csv(const store::Usage& usage, const store::UsageQuery& query,
                      const std::string& cluster);

}  // namespace headroom::server::api

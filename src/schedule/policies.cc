#include "schedule/policies.h"

#include "schedule/drf_policy.h"
#include "schedule/fair_policy.h"
#include "schedule/fifo_policies.h"

namespace headroom::schedule {

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"fifo", "easy", "conservative", "drf", "headroom"};
  return names;
}

std::unique_ptr<Policy> make_policy(std::string_view name, const PolicySettings&) {
  if (name == "fifo") return std::make_unique<Fifo>();
  if (name == "easy") return std::make_unique<Easy>();
  if (name == "conservative") return std::make_unique<Conservative>();
  if (name == "drf") return std::make_unique<DrfPolicy>();
  if (name == "headroom") return std::make_unique<FairPolicy>();
  return nullptr;
}

}  // namespace headroom::schedule

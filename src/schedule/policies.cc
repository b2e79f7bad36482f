#include "schedule/policies.h"

#include "schedule/drf_policy.h"
#include "schedule/drf_preempt_policy.h"
#include "schedule/fair_policy.h"
#include "schedule/fifo_policies.h"
#include "schedule/las_policy.h"
#include "schedule/slurm_policy.h"

namespace headroom::schedule {

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"fifo", "easy", "conservative", "slurm",
                                                 "las",  "drf",  "drf_preempt",  "headroom"};
  return names;
}

std::unique_ptr<Policy> make_policy(std::string_view name, const PolicySettings& settings) {
  if (name == "fifo") return std::make_unique<Fifo>();
  if (name == "easy") return std::make_unique<Easy>();
  if (name == "conservative") return std::make_unique<Conservative>();
  if (name == "las") {
    return std::make_unique<LasPolicy>(settings.las_threshold, settings.least_run);
  }
  if (name == "slurm") return std::make_unique<SlurmPolicy>(settings.slurm);
  if (name == "drf_preempt") return std::make_unique<DrfPreemptPolicy>(settings.least_run);
  if (name == "drf") return std::make_unique<DrfPolicy>();
  if (name == "headroom") return std::make_unique<FairPolicy>();
  return nullptr;
}

}  // namespace headroom::schedule

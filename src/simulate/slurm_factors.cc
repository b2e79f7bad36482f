#include "simulate/slurm_factors.h"

#include <algorithm>
#include <map>
#include <string>

namespace headroom::simulate {

namespace {

constexpr std::int64_t kMillion = 1'000'000;

std::int64_t factor(const std::map<std::string, std::int64_t>& of, const std::string& name) {
  std::int64_t most = 0;
  for (const auto& [other, value] : of) most = std::max(most, value);
  const auto found = of.find(name);
  if (found == of.end() || most == 0) return 0;
  return found->second * kMillion / most;
}

}  // namespace

std::vector<std::int64_t> slurm_fixed_part(const model::SlurmPriority& priority,
                                           const model::History& history) {
  std::vector<std::int64_t> fixed(history.jobs.size() + 1, 0);
  for (std::size_t i = 0; i < history.jobs.size(); ++i) {
    const model::HistoricJob& job = history.jobs[i];
    fixed[i + 1] = priority.qos * factor(priority.qos_priority, job.qos) +
                   priority.partition * factor(priority.partition_factor, job.partition);
  }
  return fixed;
}

}  // namespace headroom::simulate

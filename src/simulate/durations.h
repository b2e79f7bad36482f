// Durations: how long a job will run, learned from jobs that have ended before; nothing is looked
// at that had not happened when the question is asked.
//
// Rule     Jobs that end are samples of five groups: all; jobs of the same name; of the same name
// and
//          size; of the same user and size; of the same user, queue, name and size. From the first
//          to the last, the quantile so far moves towards that of the group's last 512 samples, by
//          n ÷ (n + 30) of the way on a logarithmic scale: a group counts for as much as it has
//          seen. What is learned of a job with a limit is which part of it the job used; jobs with
//          and without a limit are groups of their own.
// Never    above the job's own limit.
// Cost     O(512) for a job that ends (a short move in memory), O(log jobs) for a question.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/quantity.h"
#include "model/job.h"

namespace headroom::simulate {

class Durations {
 public:
  void ended(const model::Job& job, base::Duration ran);

  // The quantile (1..1000 permille, nearest rank). The job's limit, or 0 where it has none, when
  // nothing of its kind has ended yet.
  base::Duration quantile(const model::Job& job, std::int64_t permille) const;

 private:
  static constexpr std::size_t kGroups = 5;

  // Logarithms of run times, or of run ÷ limit.
  struct Sample {
    std::vector<std::int64_t> sorted;
    std::vector<std::int64_t> ring;  // the same in order of arrival
    std::size_t oldest = 0;

    void add(std::int64_t value);
  };

  // From the largest to the most alike.
  static std::array<std::uint64_t, kGroups> groups_of(const model::Job& job);

  std::map<std::uint64_t, Sample> samples_;  // by the digest of what the jobs of a group share
};

}  // namespace headroom::simulate

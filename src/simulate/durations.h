// Durations: how long a job will run, learned from jobs that have ended before; nothing is looked
// at that had not happened when the question is asked.
//
// Rule     quantiles of the last 128 run times of jobs alike: same user, name, queue and size; with
//          fewer than 5 of those, same user and size; then same queue and size; then all.
// Cost     O(128) for a job that ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/quantity.h"
#include "model/job.h"

namespace headroom::simulate {

class Durations {
 public:
  void ended(const model::Job& job, base::Duration ran);

  // The quantile (0..1000 permille), never above the job's own limit; the limit, or 0, when nothing
  // like it has ended yet.
  base::Duration quantile(const model::Job& job, std::int64_t permille) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::int64_t>;

  struct Sample {
    std::vector<std::int64_t> sorted;  // milliseconds
    std::vector<std::int64_t> ring;    // the same in order of arrival
    std::size_t oldest = 0;
  };

  static std::vector<Key> keys(const model::Job& job);
  static void add(Sample& sample, std::int64_t value);

  std::map<Key, Sample> samples_;
};

}  // namespace headroom::simulate

// Wishes: random jobs for a site. A site has a handful of requests that come again and again, so
// that equal jobs wait for each other, in every form that a job can take.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "model/event.h"
#include "tests/simtest/site.h"

namespace headroom::simtest {

class Wishes {
 public:
  Wishes(base::Rng& rng, const Site& site);

  // `earlier`: numbers of jobs that a dependency may name.
  model::JobSubmitted next(std::int64_t number, base::Time now,
                           const std::vector<std::int64_t>& earlier);

 private:
  model::Request random_request();
  model::GpuRequest random_gpu();
  void shape(model::Job& job);
  void topology(model::Job& job);

  base::Rng& rng_;
  const Site& site_;
  std::vector<model::Request> requests_;
};

}  // namespace headroom::simtest

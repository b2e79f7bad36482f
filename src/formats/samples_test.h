// Random sites and jobs for property tests: always valid, every key used now and then.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "model/job.h"
#include "model/site.h"

namespace headroom::formats {

model::Site random_site(base::Rng& rng);
model::Job random_job(base::Rng& rng);

}  // namespace headroom::formats

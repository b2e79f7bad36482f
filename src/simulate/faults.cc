#include "simulate/faults.h"

#include "base/digest.h"

namespace headroom::simulate {

base::Rng fault_rng(std::uint64_t seed, std::string_view node_name) {
  base::Digest digest;
  digest.add(seed);
  digest.add(node_name);
  return base::Rng(digest.value());
}

}  // namespace headroom::simulate

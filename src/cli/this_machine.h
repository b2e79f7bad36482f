// What this machine has, for `headroom init`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::cli {

struct FoundGpu {
  std::string name;  // as the driver says it: "NVIDIA H100 80GB HBM3"
  std::int64_t memory_mib = 0;
  friend bool operator==(const FoundGpu&, const FoundGpu&) = default;
};

struct Machine {
  std::string host;
  std::int64_t cpus = 1;
  std::int64_t memory = 0;  // bytes
  std::vector<FoundGpu> gpus;
  std::string no_gpus;  // why none were found
};

// Asks the system, and nvidia-smi where it is there.
Machine inspect_machine();

// What `nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits` prints.
std::vector<FoundGpu> parse_nvidia_smi(std::string_view text);

// The catalogue's name of a GPU, or "" when it has none of this name and memory.
std::string product_of(const FoundGpu& gpu);

// A cluster.yaml of this machine alone, with comments. `declared` GPUs of the given model take the
// place of what was found, when there are any.
std::string cluster_text(const Machine& machine, std::int64_t declared,
                         const std::string& declared_model);

}  // namespace headroom::cli

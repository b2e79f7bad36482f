// Request: what one task of a job asks of one node. Tasks with equal requests are interchangeable
// for placement, so everything that placement remembers is kept per distinct Request.
//
// GPUs are asked for in one of four ways:
//   whole    n complete GPUs
//   share    a fraction of one GPU, in thousandths (1..999)
//   memory   an amount of one GPU's memory; becomes the share ceil(1000 * amount / GPU memory)
//   mig      one MIG instance of a named profile
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "model/cluster.h"

namespace headroom::model {

struct GpuRequest {
  enum class Kind : std::uint8_t { kNone, kWhole, kShare, kMemory, kMig };

  Kind kind = Kind::kNone;
  int count = 0;         // kWhole: number of GPUs
  base::GpuMilli share;  // kShare
  base::Bytes memory;    // kMemory
  std::string profile;   // kMig

  static GpuRequest whole(int count) { return {.kind = Kind::kWhole, .count = count}; }
  static GpuRequest fraction(base::GpuMilli share) {
    return {.kind = Kind::kShare, .share = share};
  }
  static GpuRequest amount(base::Bytes memory) { return {.kind = Kind::kMemory, .memory = memory}; }
  static GpuRequest mig(std::string profile) {
    return {.kind = Kind::kMig, .profile = std::move(profile)};
  }

  friend auto operator<=>(const GpuRequest&, const GpuRequest&) = default;
};

struct Request {
  base::CpuMilli cpu;
  base::Bytes memory;
  GpuRequest gpu;
  std::vector<std::string> gpu_models;  // canonical names it may run on; empty: any
  base::Bytes min_gpu_memory;           // smallest acceptable GPU
  std::vector<Label> labels;            // node labels wanted, all of them
  bool exclusive = false;               // no other task on the node

  // GPU milli that the request names: 1000 a whole GPU, the share of a fraction; 0 for the kinds
  // whose size depends on the GPU (memory, MIG).
  base::GpuMilli nominal_gpu() const;

  friend auto operator<=>(const Request&, const Request&) = default;
};

// A task of the experiment lists and traces: a name and what it asks.
struct Task {
  std::string name;
  Request request;
};

}  // namespace headroom::model

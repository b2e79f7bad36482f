// What a cluster.yaml must satisfy beyond the form of its keys. Problems go to the context.
#pragma once

#include "formats/context.h"
#include "model/site.h"

namespace headroom::formats {

// The product is known (its name becomes the canonical one), a node can hold so many of it, and MIG
// is allowed only where its placement table is known.
void check_gpu(model::GpuSpec& gpu, const Value& value, Context& context);

// Names are unique and as many as the count says; windows name nodes and queues that exist.
void check_site(const model::Site& site, const Value& value, Context& context);

// The queue tree: parents exist, pools exist, guarantees fit into the parent's and the pool, limits
// are not below guarantees.
void check_queues(const model::Site& site, const Value& value, Context& context);

// The names of a pool's nodes: its pattern, or pool-0001, … The pattern must be valid.
std::vector<std::string> node_names_of(const model::PoolSpec& pool);

}  // namespace headroom::formats

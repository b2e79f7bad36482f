// The keys of cluster.yaml: the table that reads it, writes it and makes its schema.
#pragma once

#include "formats/codec.h"
#include "model/site.h"

namespace headroom::formats {

const Codec<model::Site>& site_codec();
Codec<model::PoolSpec> pool_codec();
Codec<model::Queue> queue_codec();

}  // namespace headroom::formats

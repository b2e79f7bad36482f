// JSON Schemas that are published (schema/*.schema.json): the schema of a codec with its headline.
#pragma once

#include <string>

#include "formats/value.h"

namespace headroom::formats {

// Of `file` ("cluster.yaml"), draft 2020-12.
Value published_schema(const std::string& file, const Value& schema);

}  // namespace headroom::formats

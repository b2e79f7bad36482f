// Writes a tree of values as JSON (RFC 8259), indented by two spaces: for JSON Schemas.
#pragma once

#include <string>

#include "formats/value.h"

namespace headroom::formats {

// A plain scalar that is a number, true or false stands as such; every other scalar is a string.
std::string print_json(const Value& value);

}  // namespace headroom::formats

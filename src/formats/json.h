// Writes a tree of values as JSON (RFC 8259): indented by two spaces for JSON Schemas, or on one
// line for JSON lines.
#pragma once

#include <string>

#include "formats/value.h"

namespace headroom::formats {

// A plain scalar that is a number, true or false stands as such; every other scalar is a string.
std::string print_json(const Value& value);
// The same without a line break anywhere, and without one at the end.
std::string print_json_line(const Value& value);

}  // namespace headroom::formats

// YAML as a tree of values, and back. What could hide a mistake or exhaust the machine is refused:
// duplicate keys, anchors, aliases and tags, keys that are not scalars, nesting deeper than 24,
// more than a million values, and bytes that are not UTF-8 text.
//
//   Problems problems("cluster.yaml");
//   std::vector<Value> documents = parse_yaml(text, problems);   // separated by ---
#pragma once

#include <string>
#include <vector>

#include "formats/problems.h"
#include "formats/value.h"

namespace headroom::formats {

// The documents that could be read; what is wrong is added to `problems`.
std::vector<Value> parse_yaml(const std::string& text, Problems& problems);

// Block style; what is short and flat on one line. Ends in a newline. Reading it again gives the
// same tree, but for lines.
std::string print_yaml(const Value& value);

}  // namespace headroom::formats

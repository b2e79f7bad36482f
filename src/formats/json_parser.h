// JSON (RFC 8259) as a tree of values with the line of each: what others write for machines. Keys
// that are there twice, nesting deeper than 64 and text behind the end are errors; so is a file
// that is cut. Bytes that are not UTF-8 are left as they are (Slurm writes users' bytes unchanged).
//
//   auto tree = parse_json("sinfo.json", text);           // sinfo.json:12: …
//   tree->find("nodes")
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/value.h"

namespace headroom::formats {

// `first_line` is the number of the text's first line in its file.
base::Result<Value> parse_json(const std::string& name, std::string_view text, int first_line = 1);

// The same for an object whose list `key` is too large to be kept: each of its items is handed over
// and dropped, and the list is empty in the result. An error of `on_item` ends it.
base::Result<Value> parse_json_items(
    const std::string& name, std::string_view text, const std::string& key,
    const std::function<base::Result<void>(const Value&)>& on_item);

}  // namespace headroom::formats

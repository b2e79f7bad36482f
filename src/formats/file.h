// Reading a whole file into memory, with a limit: a file that is larger is refused before it is
// read, and so is what is not a regular file (a folder, a pipe, a device).
//
//   auto text = read_file("nodes.csv", kLargestCsv);
//   // nodes.csv: 1000000000 bytes are more than the 268435456 allowed
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace headroom::formats {

constexpr std::int64_t kLargestCsv = std::int64_t{256} << 20;
constexpr std::int64_t kLargestYaml = std::int64_t{16} << 20;

// Errors name the path and the reason.
base::Result<std::string> read_file(const std::string& path, std::int64_t most_bytes);

}  // namespace headroom::formats

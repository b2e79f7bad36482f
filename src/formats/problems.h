// Problems: everything that is wrong with one file, each on its own line with its place:
//
//   cluster.yaml:14: nodes[2].gpu.count: 9 is not in 1..8
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::formats {

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  // `line` 0: of the file as a whole. `path` may be empty.
  void add(int line, std::string_view path, std::string_view what);

  bool empty() const { return found_.empty(); }

  // All of them by line, one a line; beyond the first twenty only their number.
  tl::unexpected<base::Error> error() const;

 private:
  struct Found {
    int line;
    std::string text;
  };
  std::string file_;
  std::vector<Found> found_;
  std::size_t dropped_ = 0;
};

}  // namespace headroom::formats

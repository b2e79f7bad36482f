// Result<T>: a value, or an Error for what the world can get wrong (input, files, engines).
// An Error's text names the place, the value and what is allowed, ready to be printed:
//
//   nodes.csv:14: gpu: -1 is not in 0..16
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace headroom::base {

struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace headroom::base

// A response's bytes: the head as text, and the frame of a chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/net/http.h"

namespace headroom::server::net {

struct HeadOptions {
  std::string request_id;
  bool close = false;                   // the connection ends after this answer
  bool chunked = false;                 // instead of a length
  std::optional<std::uint64_t> length;  // of the body
};

// Ends with the empty line. Control characters in header values (which would start another header)
// become spaces.
std::string response_head(const Response& response, const HeadOptions& options);

// The data of one chunk, which is not empty, framed.
std::string chunk(const std::string& data);

constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace headroom::server::net

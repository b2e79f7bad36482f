// The id of a request: the client's own if it is 1 to 64 letters, digits, '.', '_' or '-'; else one
// that is made, unique for all practical purposes.
#pragma once

#include <string>
#include <string_view>

namespace headroom::server::net {

std::string request_id(std::string_view wanted);

}  // namespace headroom::server::net

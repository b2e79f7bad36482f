#include "cli/client/local_socket.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace headroom::cli {

namespace {

constexpr const char* kSystem = "/run/headroom/headroom.sock";

}  // namespace

std::string own_socket() {
  if (geteuid() == 0) return kSystem;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') {
    return fmt::format("{}/headroom/headroom.sock", runtime);
  }
  return fmt::format("/tmp/headroom-{}/headroom.sock", geteuid());
}

std::string default_socket() {
  const std::string own = own_socket();
  if (access(own.c_str(), F_OK) == 0 || access(kSystem, F_OK) != 0) return own;
  return kSystem;
}

}  // namespace headroom::cli

// What the verbs of a client have in common: their flags, and a client to begin with.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/client/client.h"
#include "cli/client/output.h"
#include "cli/command.h"

namespace headroom::cli {

inline std::vector<Flag> joined(std::vector<Flag> flags, std::vector<Flag> more) {
  for (Flag& one : more) flags.push_back(std::move(one));
  return flags;
}

// Connects and goes on with the client; what cannot be is told.
inline int with_client(const ServerFlags& flags, const std::function<int(Client&)>& run) {
  Reply<Client> client = Client::connect(flags);
  return client ? run(*client) : fail_with(client.error());
}

}  // namespace headroom::cli

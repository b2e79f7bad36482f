// The processes of an allocation. A supervisor is the reaper of all that descends from it, also of
// what has left its session, so it is alone exactly when it has no child left.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace headroom::engine {

// What descends from this process. May miss what is just being forked: ask again.
std::vector<pid_t> descendants();

// Those with `variable` ("NAME=value") in their environment, of the whole machine; for when the
// supervisor is gone. O(processes).
std::vector<pid_t> processes_with(const std::string& variable);

// Whether the process catches this signal, or waits for it with the signal blocked.
bool handles(pid_t process, int signal);

}  // namespace headroom::engine

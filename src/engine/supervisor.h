// The local engine's helper processes. Both are this same program, started with a hidden verb:
//
//   server ──stdin: "1041-2\n"──▶ hub ──fork──▶ supervisor of 1041-2 ──fork──▶ its tasks
//
// The hub starts supervisors and nothing else: it is small, so a fork costs a fraction of a
// millisecond, and it ends with the server. A supervisor has its own session, outlives server and
// hub, and is the parent of its tasks: it starts them all or none, enforces the time limit, obeys
// the order in its folder, keeps exit codes, and ends when no process is left (docs/engines.md).
#pragma once

#include <functional>
#include <string>

namespace headroom::engine {

// Told before each step that changes something outside the process; tests end the process there.
using Step = std::function<void(const char*)>;

// `folder`: LocalOptions::folder. Returns at the end of standard input, with an exit code.
int run_hub(const std::string& folder, const Step& step = {});

// One allocation's; returns at its end. Nothing if another supervisor of it lives.
void run_supervisor(const std::string& folder, const std::string& name, const Step& step = {});

}  // namespace headroom::engine

// The verbs of the program, one file each.
#pragma once

#include <vector>

#include "cli/command.h"

namespace headroom::cli {

// All of them, in the order of the help. The static program has none that needs a server.
std::vector<Command> all_commands();

Command completion_command();
Command generate_command();
Command import_command();
Command init_command();
Command lint_command();
Command manual_command();
Command pack_command();
Command serve_command();  // not in the static program
Command simulate_command();

}  // namespace headroom::cli

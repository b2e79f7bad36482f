// The verbs of the program, one file each.
#pragma once

#include "cli/command.h"

namespace headroom::cli {

Command generate_command();
Command import_command();
Command lint_command();
Command pack_command();
Command serve_command();  // not in the static program
Command simulate_command();

}  // namespace headroom::cli

// The help texts, made from the tables of the verbs. tools/checks/examples.py reads the verbs and
// the examples from them and runs every example.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/command.h"

namespace headroom::cli {

// `headroom --help`
std::string program_help(const std::vector<Command>& commands, std::size_t width);

// `headroom VERB --help`. To be made before the flags are parsed: their values are the defaults.
std::string command_help(const Command& command, std::size_t width);

}  // namespace headroom::cli

// Command: one verb of the program as data. A verb's file gives a table of its flags and a function
// to run; command_line.cc alone knows the library that parses them and prints the help.
//
// Exit codes are those of docs/cli.md: 0 ok, 2 usage or bad input, …
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace headroom::cli {

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,  // the job or condition failed
  kUsage = 2,   // wrong flags, or input that cannot be read
  kNotFound = 3,
  kForbidden = 4,
  kConflict = 5,
  kRefused = 6,  // by quota or admission
  kTimedOut = 7,
  kUnreachable = 8,  // the server
  kPartlyFailed = 9,
  kDifference = 10,  // a difference was found
};

// Where a flag's value goes. A bool is a switch; a vector takes all the values behind it if its
// placeholder ends in "...", else one each time it is given.
using FlagTarget =
    std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*>;

struct Flag {
  std::string name;         // "--seeds", "-o,--output"; without dashes: a positional argument
  std::string placeholder;  // "A-B"; empty for a switch
  std::string help;
  FlagTarget target;
  bool required = false;
  std::vector<std::string> choices = {};  // the allowed values; empty: any
  bool splits = true;                     // a vector: "a,b" are two values
};

struct Example {
  std::string command;  // without the leading "headroom "; the tests run it
  std::string says;     // what it shows
};

struct Command {
  std::string name;
  std::string summary;  // one line, in the list of verbs
  std::string details;  // one paragraph, in its own help
  std::vector<Flag> flags;
  std::vector<Example> examples;
  std::function<int()> run;  // returns an exit code
  // What stands behind --, word by word; nullptr: nothing may. Its name in the usage is CMD.
  std::vector<std::string>* rest = nullptr;
};

// Parses the arguments and runs the verb. Returns the exit code. Nothing is printed to stdout on an
// error.
int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv);

}  // namespace headroom::cli

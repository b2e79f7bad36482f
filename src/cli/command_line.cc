#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/command.h"

namespace headroom::cli {

namespace {

constexpr const char* kVersion = "headroom 0.1.0";

std::string footer(const Command& command) {
  if (command.examples.empty()) return "";
  std::string text = "Examples:\n";
  for (const Example& example : command.examples) {
    text += "  # " + example.says + "\n  headroom " + example.command + "\n";
  }
  return text;
}

void add_flag(CLI::App& app, const Flag& flag) {
  const auto add = [&](auto* target) -> CLI::Option* {
    using T = std::remove_pointer_t<decltype(target)>;
    if constexpr (std::is_same_v<T, bool>) {
      return app.add_flag(flag.name, *target, flag.help);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return app.add_option(flag.name, *target, flag.help)->delimiter(',');
    } else {
      return app.add_option(flag.name, *target, flag.help)->capture_default_str();
    }
  };
  CLI::Option* option = std::visit(add, flag.target);
  if (!flag.placeholder.empty()) option->type_name(flag.placeholder);
  if (flag.required) option->required();
  if (!flag.choices.empty()) option->check(CLI::IsMember(flag.choices));
}

void add_command(CLI::App& app, const Command& command, int& exit_code) {
  CLI::App* verb = app.add_subcommand(command.name, command.summary);
  verb->description(command.summary + "\n\n" + command.details);
  verb->footer(footer(command));
  for (const Flag& flag : command.flags) add_flag(*verb, flag);
  verb->callback([&command, &exit_code] { exit_code = command.run(); });
}

}  // namespace

int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv) {
  CLI::App app{"Headroom schedules, explains and plans shared GPU clusters."};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer("headroom VERB --help shows a verb's flags and examples.");
  int exit_code = kOk;
  for (const Command& command : commands) add_command(app, command, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "headroom: %s (see headroom --help)\n", error.what());
    return kUsage;
  }
  return exit_code;
}

}  // namespace headroom::cli

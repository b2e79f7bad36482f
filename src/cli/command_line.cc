#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::cli {

namespace {

constexpr const char* kVersion = "headroom 0.1.0";
constexpr std::size_t kWidestHelp = 100;

// "-o,--output" -> "--output": how messages name a flag.
std::string long_name(const Flag& flag) { return flag.name.substr(flag.name.rfind(',') + 1); }

template <class T>
void parse_number(const std::string& text, const Flag& flag, const char* what, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return;
  throw CLI::ValidationError(
      fmt::format("{}: '{}' is not {}", long_name(flag), formats::shown(text), what));
}

void check_choice(const std::string& text, const Flag& flag) {
  if (flag.choices.empty()) return;
  if (std::find(flag.choices.begin(), flag.choices.end(), text) != flag.choices.end()) return;
  throw CLI::ValidationError(fmt::format("{}: '{}' is not {}", long_name(flag),
                                         formats::shown(text), formats::one_of(flag.choices)));
}

// Numbers and choices are read here and not by the library, for the sake of their messages.
void add_flag(CLI::App& app, const Flag& flag) {
  const auto add = [&](auto* target) -> CLI::Option* {
    using T = std::remove_pointer_t<decltype(target)>;
    if constexpr (std::is_same_v<T, bool>) {
      return app.add_flag(flag.name, *target);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      CLI::Option* const many = app.add_option(flag.name, *target);
      if (flag.splits) many->delimiter(',');
      const bool is_positional = flag.name[0] != '-';
      return is_positional ? many : many->allow_extra_args(flag.placeholder.ends_with("..."));
    } else {
      return app.add_option_function<std::string>(
          flag.name, [target, &flag](const std::string& text) {
            if constexpr (std::is_same_v<T, std::string>) {
              check_choice(text, flag);
              *target = text;
            } else if constexpr (std::is_same_v<T, double>) {
              parse_number(text, flag, "a number", *target);
            } else {
              parse_number(text, flag, "a whole number", *target);
            }
          });
    }
  };
  CLI::Option* option = std::visit(add, flag.target);
  if (flag.required) option->required();
}

void add_command(CLI::App& app, const Command& command, int& exit_code) {
  CLI::App* verb = app.add_subcommand(command.name);
  for (const Flag& flag : command.flags) add_flag(*verb, flag);
  verb->callback([&command, &exit_code] { exit_code = command.run(); });
}

// The first word that is no verb or flag, with the nearest that is: the library only says that it
// did not expect it.
std::optional<std::string> unknown_word(const std::vector<Command>& commands, int argc,
                                        const char* const* argv) {
  if (argc < 2) return std::nullopt;
  std::vector<std::string> known = {"--help", "--version"};
  const std::string first = argv[1];
  const auto command =
      std::find_if(commands.begin(), commands.end(),
                   [&](const Command& candidate) { return candidate.name == first; });
  if (command == commands.end() && first.substr(0, 1) != "-") {
    std::vector<std::string> names;
    for (const Command& candidate : commands) names.push_back(candidate.name);
    return fmt::format("there is no verb '{}'{}", formats::shown(first),
                       formats::hint(first, names));
  }
  if (command != commands.end()) {
    known = {"--help"};
    for (const Flag& flag : command->flags) known.push_back(long_name(flag));
  }
  for (int i = command == commands.end() ? 1 : 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word.substr(0, 2) != "--") continue;
    const std::string name(word.substr(0, word.find('=')));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = formats::nearest(name, known);
    return fmt::format("there is no flag {}{}", formats::shown(name),
                       nearest.empty() ? "" : " (did you mean " + nearest + "?)");
  }
  return std::nullopt;
}

int usage_error(const std::string& message, const std::string& verb) {
  fmt::print(stderr, "headroom: {}; see headroom {}--help\n", printable(message),
             verb.empty() ? "" : verb + " ");
  return kUsage;
}

}  // namespace

int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv) {
  const std::size_t width = std::min(inspect_terminal(1).width, kWidestHelp);
  if (argc < 2) {
    fmt::print(stderr, "{}", program_help(commands, width));
    return kUsage;
  }
  const auto command =
      std::find_if(commands.begin(), commands.end(),
                   [&](const Command& candidate) { return candidate.name == argv[1]; });
  const std::string verb = command == commands.end() ? "" : command->name;
  // What stands behind -- is not for the parser.
  if (command != commands.end() && command->rest != nullptr) {
    const auto* const end = std::find(argv, argv + argc, std::string_view("--"));
    if (end != argv + argc) command->rest->assign(end + 1, argv + argc);
    argc = static_cast<int>(end - argv);
  }
  if (const auto message = unknown_word(commands, argc, argv)) return usage_error(*message, verb);

  // Made now, because parsing changes what it shows as defaults.
  const std::string help =
      verb.empty() ? program_help(commands, width) : command_help(*command, width);
  CLI::App app;
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  int exit_code = kOk;
  for (const Command& candidate : commands) add_command(app, candidate, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help);
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}\n", kVersion);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), verb);
  }
  return exit_code;
}

}  // namespace headroom::cli

#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text.h"

namespace headroom::cli {

namespace {

// A name and what it says, in two columns.
struct Entry {
  std::string name;
  std::string says;
};

std::string two_columns(const std::vector<Entry>& entries, std::size_t width) {
  std::size_t longest = 0;
  for (const Entry& entry : entries) longest = std::max(longest, entry.name.size());
  const std::size_t column = longest + 4;  // two spaces before the name, two after
  std::string text;
  for (const Entry& entry : entries) {
    std::string line = fmt::format("  {:{}}  ", entry.name, longest);
    // wrapped() counts from the start of a line, so the name is part of what it breaks.
    const std::string says = wrapped(std::string(column, '.') + entry.says, width, column);
    text += line + says.substr(column) + "\n";
  }
  return text;
}

std::string default_of(const Flag& flag) {
  if (flag.required) return " (required)";
  const auto shown = [](const auto* target) -> std::string {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(target)>>;
    if constexpr (std::is_same_v<T, std::string>) {
      return *target;
    } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>) {
      return fmt::format("{}", *target);
    } else {
      return "";
    }
  };
  const std::string text = std::visit(shown, flag.target);
  return text.empty() ? "" : " (default: " + text + ")";
}

bool is_positional(const Flag& flag) { return flag.name[0] != '-'; }

// "-o, --output FORM", or "FILE..." of a positional argument.
std::string name_of(const Flag& flag) {
  if (is_positional(flag)) return flag.placeholder.empty() ? flag.name : flag.placeholder;
  std::string name = flag.name;
  const bool has_short = name.size() > 2 && name[0] == '-' && name[1] != '-';
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    name.replace(comma, 1, ", ");
  } else if (!has_short) {
    name = "    " + name;
  }
  return flag.placeholder.empty() ? name : name + " " + flag.placeholder;
}

std::string usage(const Command& command, std::size_t width) {
  std::string text = "Usage: headroom " + command.name;
  bool more = false;
  for (const Flag& flag : command.flags) {
    if (is_positional(flag)) {
      text += flag.required ? " " + name_of(flag) : " [" + name_of(flag) + "]";
    } else if (flag.required) {
      text += " " + flag.name + (flag.placeholder.empty() ? "" : " " + flag.placeholder);
    } else {
      more = true;
    }
  }
  if (more) text += " [flags]";
  if (command.rest != nullptr) text += " [-- CMD...]";
  return wrapped(text, width, 4) + "\n";
}

// A command line of the shell, broken before its flags.
std::string example_lines(const Example& example, std::size_t width) {
  std::string text = "  headroom";
  std::size_t used = text.size();
  const std::string& command = example.command;
  for (std::size_t at = 0; at < command.size();) {
    std::size_t end = command.find(" -", at + 1);  // a flag and its values stay together
    end = std::min(end, command.size());
    const std::string part = command.substr(at, end - at);
    const std::size_t length = part.size() + (part[0] == ' ' ? 0 : 1);
    if (used + length + 2 > width && at > 0) {
      text += " \\\n     ";
      used = 5;
    }
    text += (part[0] == ' ' ? "" : " ") + part;
    used += length;
    at = end;
  }
  return text + "\n";
}

}  // namespace

std::string program_help(const std::vector<Command>& commands, std::size_t width) {
  std::vector<Entry> verbs;
  for (const Command& command : commands) verbs.push_back({command.name, command.summary});
  return "Headroom schedules, explains and plans shared GPU clusters.\n\n"
         "Usage: headroom VERB [flags]\n\n"
         "Subcommands:\n" +
         two_columns(verbs, width) + "\nFlags:\n" +
         two_columns({{"-h, --help", "this text; after a verb: its flags and examples"},
                      {"    --version", "the version"}},
                     width);
}

std::string command_help(const Command& command, std::size_t width) {
  std::string text = command.summary + ".\n\n" + usage(command, width) + "\n";
  if (!command.details.empty()) text += wrapped(command.details, width) + "\n\n";
  std::vector<Entry> flags;
  for (const Flag& flag : command.flags) {
    flags.push_back({name_of(flag), flag.help + default_of(flag)});
  }
  flags.push_back({"-h, --help", "this text"});
  text += "Flags:\n" + two_columns(flags, width);
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.examples) {
    text += wrapped("  # " + example.says, width, 4) + "\n" + example_lines(example, width);
  }
  return text;
}

}  // namespace headroom::cli

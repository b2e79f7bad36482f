// headroom completion: what a shell needs to complete verbs, flags and their values.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/verbs.h"

namespace headroom::cli {

namespace {

std::vector<std::string> names_of(const Flag& flag) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= flag.name.size();) {
    const std::size_t end = std::min(flag.name.find(',', at), flag.name.size());
    names.push_back(flag.name.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

bool is_positional(const Flag& flag) { return flag.name[0] != '-'; }

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> words{"--help"};
  for (const Flag& flag : command.flags) {
    if (!is_positional(flag)) words.push_back(names_of(flag).back());
  }
  return words;
}

std::string bash(const std::vector<Command>& commands) {
  std::vector<std::string> verbs{"--help", "--version"};
  std::string values;
  std::string flags;
  for (const Command& command : commands) {
    verbs.push_back(command.name);
    for (const Flag& flag : command.flags) {
      if (flag.choices.empty() || is_positional(flag)) continue;
      for (const std::string& name : names_of(flag)) {
        values +=
            fmt::format("    '{} {}') words='{}' ;;\n", command.name, name, joined(flag.choices));
      }
    }
    std::vector<std::string> words = flags_of(command);
    for (const Flag& flag : command.flags) {
      if (is_positional(flag)) words.insert(words.end(), flag.choices.begin(), flag.choices.end());
    }
    flags += fmt::format("    {}) words='{}' ;;\n", command.name, joined(words));
  }
  return fmt::format(R"(# bash completion of headroom: source <(headroom completion bash)
_headroom() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  if [ -z "$words" ]; then
    case "${{COMP_WORDS[1]}}" in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _headroom headroom
)",
                     joined(verbs), values, flags);
}

// Inside '…' of zsh's _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh(const std::vector<Command>& commands) {
  std::string verbs;
  std::string cases;
  for (const Command& command : commands) {
    verbs += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += fmt::format("    {}) _arguments -s \\\n", command.name);
    for (const Flag& flag : command.flags) {
      const std::string values = flag.choices.empty() ? "_files" : "(" + joined(flag.choices) + ")";
      if (is_positional(flag)) continue;
      for (const std::string& name : names_of(flag)) {
        const bool takes = !flag.placeholder.empty();
        cases += fmt::format("      '{}[{}]{}' \\\n", name, zsh_text(flag.help),
                             takes ? ":" + zsh_text(flag.placeholder) + ":" + values : "");
      }
    }
    cases += "      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef headroom
# zsh completion of headroom: headroom completion zsh > "${{fpath[1]}}/_headroom"
_headroom() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
if [ "$funcstack[1]" = _headroom ]; then _headroom "$@"; else compdef _headroom headroom; fi
)",
                     verbs, cases);
}

std::string fish_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return "'" + result + "'";
}

std::string fish(const std::vector<Command>& commands) {
  std::string text =
      "# fish completion of headroom: headroom completion fish > "
      "~/.config/fish/completions/headroom.fish\n";
  for (const Command& command : commands) {
    text += fmt::format("complete -c headroom -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name, fish_text(command.summary));
    for (const Flag& flag : command.flags) {
      if (is_positional(flag)) continue;
      text += fmt::format("complete -c headroom -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : names_of(flag)) {
        const bool is_long = name.starts_with("--");
        text += fmt::format(" -{} {}", is_long ? 'l' : 's', name.substr(is_long ? 2 : 1));
      }
      if (!flag.placeholder.empty()) text += " -r";
      if (!flag.choices.empty()) text += fmt::format(" -f -a {}", fish_text(joined(flag.choices)));
      text += fmt::format(" -d {}\n", fish_text(flag.help));
    }
  }
  return text;
}

}  // namespace

Command completion_command() {
  const auto shell = std::make_shared<std::string>();
  return {
      .name = "completion",
      .summary = "Print the completion of a shell",
      .details =
          "bash: source <(headroom completion bash) in ~/.bashrc. zsh: into a file "
          "_headroom in a folder of $fpath. fish: into "
          "~/.config/fish/completions/headroom.fish.",
      .flags = {{"shell", "bash|zsh|fish", "which", shell.get(), true, {"bash", "zsh", "fish"}}},
      .examples = {{"completion bash > out/headroom.bash", "for bash"}},
      .run = [shell] {
        const std::vector<Command> commands = all_commands();
        const std::string text = *shell == "bash"  ? bash(commands)
                                 : *shell == "zsh" ? zsh(commands)
                                                   : fish(commands);
        std::fputs(text.c_str(), stdout);
        return static_cast<int>(kOk);
      }};
}

}  // namespace headroom::cli

// headroom manual: the manual page, made from the tables of the verbs.
#include <fmt/format.h>

#include <cstdio>

#include "cli/verbs.h"

namespace headroom::cli {

namespace {

// The character that begins at `at` as troff writes it ("\\[u2026]"), and `at` behind it. Our texts
// are UTF-8.
std::string named_character(const std::string& text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  unsigned code = lead & (0x3fu >> more);
  for (int i = 0; i < more && at < text.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
  }
  return fmt::format("\\[u{:04X}]", code);
}

// Text for troff: no line may begin with a point or a quote, and \ and - are to stay themselves.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      result += named_character(text, at);
      continue;
    }
    const char c = text[at++];
    const bool at_start = result.empty() || result.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string names_of(const Flag& flag) {
  std::string name = flag.name[0] == '-' || flag.placeholder.empty() ? flag.name : "";
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    name.replace(comma, 1, ", ");
  }
  return name.empty() ? flag.placeholder
                      : name + (flag.placeholder.empty() ? "" : " " + flag.placeholder);
}

std::string section(const Command& command) {
  std::string text = fmt::format(".SS headroom {}\n{}.\n", command.name, roff(command.summary));
  if (!command.details.empty()) {
    text += ".PP\n.nf\n" + roff(command.details) + "\n.fi\n";
    // Paragraphs are filled; lines of an example in them are not.
    if (command.details.find('\n') == std::string::npos) {
      text.erase(text.find(".nf\n"), 4);
      text.erase(text.rfind("\n.fi"), 4);
    }
  }
  for (const Flag& flag : command.flags) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(names_of(flag)),
                        roff(flag.help.empty() ? "see above" : flag.help));
  }
  for (const Example& example : command.examples) {
    text += fmt::format(".PP\n{}:\n.PP\n.EX\n    headroom {}\n.EE\n", roff(example.says),
                        roff(example.command));
  }
  return text;
}

constexpr const char* kTail = R"(.SH EXIT STATUS
0 done; 1 the job or condition failed; 2 wrong flags or input that cannot be read; 3 not found;
4 forbidden; 5 conflict; 6 refused by quota or admission; 7 timed out waiting; 8 the server cannot be
reached; 9 partly failed; 10 a difference was found; 128 + signal when interrupted.
.SH ENVIRONMENT
.TP
.B HEADROOM_SERVER
the server: https://HOST:PORT or the path of a socket
.TP
.B HEADROOM_TOKEN
the token
.TP
.B NO_COLOR
no colours
.SH FILES
.TP
.B ~/.config/headroom/config.yaml
contexts: servers and their tokens
)";

}  // namespace

Command manual_command() {
  return {.name = "manual",
          .summary = "Print the manual page, for man",
          .examples = {{"manual > out/headroom.1", "man out/headroom.1 shows it"}},
          .run = [] {
            std::string text =
                ".TH HEADROOM 1 \"\" \"headroom 0.1.0\" \"User Commands\"\n"
                ".SH NAME\nheadroom \\- schedules, explains and plans shared GPU clusters\n"
                ".SH SYNOPSIS\n.B headroom\nVERB [flags]\n.SH VERBS\n";
            for (const Command& command : all_commands()) text += section(command);
            std::fputs((text + kTail).c_str(), stdout);
            return static_cast<int>(kOk);
          }};
}

}  // namespace headroom::cli

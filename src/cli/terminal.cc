#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace headroom::cli {

Terminal inspect_terminal(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  } else if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const int width = std::atoi(columns);
    if (width > 0) terminal.width = static_cast<std::size_t>(width);
  }
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  terminal.colour = !dumb && (no_colour == nullptr || *no_colour == '\0');
  return terminal;
}

}  // namespace headroom::cli

// The program `headroom`.
#include <string_view>

#include "cli/verbs.h"
#ifdef HEADROOM_LIVE  // not in the static program
#include "engine/supervisor.h"
#endif

int main(int argc, char** argv) {
#ifdef HEADROOM_LIVE
  // The local engine starts itself so; no verb for people.
  if (argc == 3 && std::string_view(argv[1]) == "supervise")
    return headroom::engine::run_hub(argv[2]);
#endif
  return headroom::cli::run_command_line(headroom::cli::all_commands(), argc, argv);
}

// The program `headroom`: the list of its verbs.
#include <string_view>

#include "cli/verbs.h"
#ifdef HEADROOM_LIVE  // not in the static program
#include "engine/supervisor.h"
#endif

int main(int argc, char** argv) {
  using namespace headroom::cli;
#ifdef HEADROOM_LIVE
  // The local engine starts itself so; no verb for people.
  if (argc == 3 && std::string_view(argv[1]) == "supervise")
    return headroom::engine::run_hub(argv[2]);
#endif
  std::vector<Command> commands = {pack_command(), simulate_command(), generate_command(),
                                   lint_command(), import_command()};
#ifdef HEADROOM_LIVE
  commands.push_back(serve_command());
#endif
  return run_command_line(commands, argc, argv);
}

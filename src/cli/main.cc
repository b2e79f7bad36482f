// The program `headroom`: the list of its verbs.
#include "cli/verbs.h"

int main(int argc, char** argv) {
  using namespace headroom::cli;
  return run_command_line(
      {pack_command(), simulate_command(), generate_command(), lint_command(), import_command()},
      argc, argv);
}

#ifdef HEADROOM_LIVE
#include "cli/client_verbs.h"
#endif
#include "cli/verbs.h"

namespace headroom::cli {

std::vector<Command> all_commands() {
  return {
#ifdef HEADROOM_LIVE
      run_command(),    submit_command(),  ps_command(),         show_command(),
      why_command(),    logs_command(),    wait_command(),       cancel_command(),
      hold_command(),   release_command(), requeue_command(),    priority_command(),
      top_command(),    nodes_command(),   gpus_command(),       queues_command(),
      usage_command(),  drain_command(),   undrain_command(),    apply_command(),
      whoami_command(), token_command(),   audit_command(),      serve_command(),
#endif
      init_command(),   pack_command(),    simulate_command(),   generate_command(),
      lint_command(),   import_command(),  completion_command(), manual_command()};
}

}  // namespace headroom::cli

// The verbs that talk to a server, one file each in client/.
#pragma once

#include "cli/command.h"

namespace headroom::cli {

Command apply_command();
Command audit_command();
Command cancel_command();
Command drain_command();
Command gpus_command();
Command hold_command();
Command logs_command();
Command nodes_command();
Command priority_command();
Command ps_command();
Command queues_command();
Command release_command();
Command requeue_command();
Command run_command();
Command show_command();
Command submit_command();
Command token_command();
Command top_command();
Command undrain_command();
Command usage_command();
Command wait_command();
Command whoami_command();
Command why_command();

}  // namespace headroom::cli

#include "cli/verbs.h"

namespace headroom::cli {

Command pack_command() {
  return {.name = "pack",
          .summary = "Fill a cluster with tasks and compare placements",
          .details = "",
          .flags = {},
          .examples = {},
          .run = [] { return int{kOk}; }};
}

}  // namespace headroom::cli

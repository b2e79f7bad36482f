// What `headroom simulate` shows to people.
#include <fmt/format.h>

#include "cli/simulate.h"
#include "cli/simulate_tables.h"
#include "cli/text.h"

namespace headroom::cli {

std::string assumptions(const SimulateOptions& options) {
  std::string text =
      fmt::format("Assumed where a job does not say: a checkpoint every {}, a restart costs {}.",
                  options.checkpoint, options.restart);
  if (!options.mtbf.empty()) {
    text += fmt::format(" Each node fails every {} and is repaired in {} (exponential, means).",
                        options.mtbf, options.repair);
  }
  if (!options.faults.empty()) text += fmt::format(" Nodes fail as {} tells.", options.faults);
  if (options.mtbf.empty() && options.faults.empty()) text += " No node fails.";
  return text;
}

std::string simulate_table(const SimulateOptions& options, const std::vector<SimulateRun>& runs,
                           std::size_t width) {
  const TableStyle style{.width = width};
  std::string text = runs_table(runs).render(style);
  if (const auto idle = idle_table(runs)) {
    text += "\nGPU hours idle while jobs waited for them, by what kept the first from starting\n" +
            idle->render(style);
  }
  if (options.predictions) {
    text +=
        "\nMean pinball loss of predicted run times; beside it, of the quantile of all jobs "
        "before, and of the limit\n" +
        prediction_table(runs).render(style);
  }
  if (options.queues || runs.size() == 1) {
    for (const SimulateRun& run : runs) {
      text += "\n" + (runs.size() > 1 ? name_of(run) + "\n" : "") + queue_table(run).render(style);
    }
  }
  const std::string rejected = rejections(runs);
  text += "\n" + (rejected.empty() ? "" : rejected + "\n");
  return text + wrapped(assumptions(options), width) + "\n";
}

}  // namespace headroom::cli

// headroom lint: checks files of every kind that we read, by the very readers that the other verbs
// use.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>

#include "cli/verbs.h"
#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/job_yaml.h"
#include "formats/json.h"
#include "formats/load.h"
#include "formats/openb.h"
#include "formats/tasks.h"

namespace headroom::cli {

namespace {

using base::Result;
using formats::FileKind;

struct LintOptions {
  std::vector<std::string> files;
  std::string schema;
};

std::string counted(std::int64_t n, const std::string& what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string summary_of(const model::Cluster& cluster, const std::string& kind) {
  std::set<std::string> pools;
  for (const model::NodeShape& shape : cluster.shapes) pools.insert(shape.pool);
  return fmt::format("{}, {}, {}, {}", kind,
                     counted(static_cast<std::int64_t>(pools.size()), "pool"),
                     counted(static_cast<std::int64_t>(cluster.nodes.size()), "node"),
                     counted(cluster.gpu_capacity().value() / 1000, "GPU"));
}

std::string summary_of(const std::vector<model::Task>& tasks, const std::string& kind) {
  base::GpuMilli gpus;
  for (const model::Task& task : tasks) gpus += task.request.nominal_gpu();
  return fmt::format("{}, {}, {}", kind, counted(static_cast<std::int64_t>(tasks.size()), "task"),
                     counted(gpus.value() / 1000, "GPU"));
}

// Checks one file; what it says about itself goes into the summary. `known` grows by the GPU models
// that a cluster.yaml declares, so that jobs named after it may ask for them.
class Linter {
 public:
  Result<std::string> check(const std::string& path) {
    const Result<std::string> text = formats::read_any_file(path);
    if (!text) return tl::unexpected(text.error());
    switch (formats::kind_of(*text)) {
      case FileKind::kOpenbNodes: {
        const auto rows = formats::read_openb_nodes(path, *text, {});
        if (!rows) return tl::unexpected(rows.error());
        return summary_of(rows->value, "openb node list");
      }
      case FileKind::kOpenbTasks: {
        const auto rows = formats::read_openb_tasks(path, *text, {});
        if (!rows) return tl::unexpected(rows.error());
        return summary_of(rows->value, "openb task list");
      }
      case FileKind::kTasksCsv: {
        const auto rows = formats::read_tasks_csv(path, *text, known_, {});
        if (!rows) return tl::unexpected(rows.error());
        return summary_of(rows->value, "task list");
      }
      case FileKind::kClusterYaml:
        return check_cluster(path, *text);
      case FileKind::kJobYaml:
        return check_jobs(path, *text);
    }
    return "";
  }

 private:
  Result<std::string> check_cluster(const std::string& path, const std::string& text) {
    const auto site = formats::read_cluster_yaml(path, text, formats::known_products());
    if (!site) return tl::unexpected(site.error());
    const auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
    if (!cluster) return base::fail(path + ": " + cluster.error().message);
    known_.own.insert(known_.own.end(), cluster->gpu_models.begin(), cluster->gpu_models.end());
    return summary_of(*cluster, "cluster");
  }

  Result<std::string> check_jobs(const std::string& path, const std::string& text) const {
    const auto jobs = formats::read_job_yaml(path, text, known_);
    if (!jobs) return tl::unexpected(jobs.error());
    const auto tasks = formats::tasks_of(*jobs);
    if (!tasks) return base::fail(path + ": " + tasks.error().message);
    const auto count = static_cast<std::int64_t>(jobs->size());
    return summary_of(*tasks, count == 1 ? "job" : counted(count, "job"));
  }

  formats::Known known_ = formats::known_products();
};

int run_lint(const LintOptions& options) {
  if (!options.schema.empty()) {
    const bool is_cluster = options.schema == "cluster";
    const formats::Value schema = is_cluster ? formats::cluster_schema() : formats::job_schema();
    std::fputs(formats::print_json(schema).c_str(), stdout);
    return kOk;
  }
  if (options.files.empty()) {
    std::fputs("headroom lint: a FILE is needed, or --schema\n", stderr);
    return kUsage;
  }
  Linter linter;
  int exit_code = kOk;
  for (const std::string& path : options.files) {
    const Result<std::string> summary = linter.check(path);
    if (summary) {
      std::fputs((path + ": ok (" + *summary + ")\n").c_str(), stdout);
    } else {
      std::fputs((summary.error().message + "\n").c_str(), stderr);
      exit_code = kUsage;
    }
  }
  return exit_code;
}

}  // namespace

Command lint_command() {
  const auto options = std::make_shared<LintOptions>();
  return {.name = "lint",
          .summary = "Check a cluster.yaml, a job.yaml, or a node or task list",
          .details =
              "Every problem is one line: file, line, where in the file, the value and what is "
              "allowed. "
              "GPU models that a cluster.yaml declares itself are known in the job files after it. "
              "Exit "
              "code 2 when a file has a problem.",
          .flags = {{"files", "FILE...", "files to check", &options->files},
                    {"--schema",
                     "KIND",
                     "print the JSON Schema of a cluster.yaml or job.yaml",
                     &options->schema,
                     false,
                     {"cluster", "job"}}},
          .examples = {{"lint examples/cluster.yaml examples/job.yaml",
                        "check a cluster and a job for it"},
                       {"lint --schema job", "the JSON Schema, for an editor"}},
          .run = [options] { return run_lint(*options); }};
}

}  // namespace headroom::cli

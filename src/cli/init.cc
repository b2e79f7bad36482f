// headroom init: a cluster.yaml of this machine, to start with.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "cli/history_file.h"
#include "cli/this_machine.h"
#include "cli/verbs.h"
#include "formats/known.h"

namespace headroom::cli {

namespace {

struct InitOptions {
  std::string output = "cluster.yaml";
  std::int64_t gpus = 0;
  std::string model = "H100-SXM";
  bool force = false;
};

int run_init(const InitOptions& options) {
  const auto fail = [](int code, const std::string& message) {
    fmt::print(stderr, "headroom: {}\n", message);
    return code;
  };
  if (options.gpus < 0 || options.gpus > model::kMaxGpusPerNode) {
    return fail(kUsage,
                fmt::format("--gpus: {} is not in 0..{}", options.gpus, model::kMaxGpusPerNode));
  }
  const auto product = formats::known_products().product(options.model);
  if (!product) return fail(kUsage, "--gpu-model: " + product.error().message);
  const bool to_stdout = options.output == "-";
  if (!to_stdout && !options.force && access(options.output.c_str(), F_OK) == 0) {
    return fail(kConflict, options.output + ": it is there already; --force replaces it");
  }
  const Machine machine = inspect_machine();
  const std::string text = cluster_text(machine, options.gpus, *product);
  const int written = write_out(to_stdout ? "" : options.output, text);
  if (written != kOk) return written;
  const auto gpus =
      options.gpus > 0 ? options.gpus : static_cast<std::int64_t>(machine.gpus.size());
  fmt::print(stderr, "{}: {} CPUs, {} GiB, {} GPUs{}\n", machine.host, machine.cpus,
             machine.memory >> 30, gpus, options.gpus > 0 ? " (declared)" : "");
  return kOk;
}

}  // namespace

Command init_command() {
  const auto options = std::make_shared<InitOptions>();
  return {.name = "init",
          .summary = "Write a cluster.yaml of this machine",
          .details =
              "Counts its CPUs and memory, and its GPUs as nvidia-smi names them. --gpus "
              "declares GPUs instead, to try everything on a machine without.",
          .flags = {{"-o,--output", "FILE", "where to; - for standard output", &options->output},
                    {"--gpus", "N", "declare so many GPUs", &options->gpus},
                    {"--gpu-model", "NAME", "of the declared ones", &options->model},
                    {"--force", "", "replace the file", &options->force}},
          .examples = {{"init -o out/cluster.yaml", "what this machine has"},
                       {"init --gpus 8 -o -", "as if it had eight GPUs"}},
          .run = [options] { return run_init(*options); }};
}

}  // namespace headroom::cli

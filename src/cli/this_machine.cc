#include "cli/this_machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <thread>
#include <utility>

#include "formats/slurm_values.h"

namespace headroom::cli {

namespace {

// How the driver calls the products of the catalogue.
constexpr std::pair<std::string_view, std::string_view> kProducts[] = {
    {"A100-SXM4-40GB", "A100-40-SXM"},
    {"A100-SXM4-80GB", "A100-80-SXM"},
    {"A100 80GB PCIe", "A100-80-PCIe"},
    {"A30", "A30"},
    {"H100 80GB HBM3", "H100-SXM"},
    {"H100 PCIe", "H100-PCIe"},
    {"H100 NVL", "H100-NVL"},
    {"H200", "H200-SXM"},
    {"B200", "B200-SXM"},
    {"B300", "B300-SXM"},
    {"L40S", "L40S"},
    {"L4", "L4"},
    {"A10", "A10"},
    {"V100-SXM2-32GB", "V100-32-SXM2"},
    {"T4", "T4"}};

std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name;
}

std::string first_lines_of(const char* command) {
  std::string text;
  std::FILE* const pipe = popen(command, "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part{};
  while (text.size() < 65'536 && std::fgets(part.data(), part.size(), pipe) != nullptr) {
    text += part.data();
  }
  return pclose(pipe) == 0 ? text : "";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

std::string gpu_part(const Machine& machine, std::int64_t declared, const std::string& model) {
  if (declared > 0) {
    return fmt::format(
        "    # Declared, not found: jobs get their number in HEADROOM_* and no device.\n"
        "    gpu: {{model: {}, count: {}}}\n",
        model, declared);
  }
  if (machine.gpus.empty()) {
    return "    # No GPU was found: " + machine.no_gpus +
           ". To try the scheduler without:\n"
           "    # gpu: {model: H100-SXM, count: 8}\n";
  }
  const FoundGpu& first = machine.gpus.front();
  const std::string product = product_of(first);
  if (!product.empty()) {
    return fmt::format("    gpu: {{model: {}, count: {}}}   # {}\n", product, machine.gpus.size(),
                       first.name);
  }
  return fmt::format(
      "    # {}: not in the catalogue, so its memory is told here.\n"
      "    gpu: {{model: {}, count: {}, memory: {}MiB}}\n",
      first.name, formats::clean_name(without_maker(first.name), "GPU"), machine.gpus.size(),
      first.memory_mib);
}

}  // namespace

std::vector<FoundGpu> parse_nvidia_smi(std::string_view text) {
  std::vector<FoundGpu> gpus;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) continue;
    const std::string_view memory = trimmed(line.substr(comma + 1));
    FoundGpu gpu{.name = formats::clean_text(trimmed(line.substr(0, comma)))};
    std::from_chars(memory.data(), memory.data() + memory.size(), gpu.memory_mib);
    if (!gpu.name.empty() && gpu.memory_mib > 0) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::string product_of(const FoundGpu& gpu) {
  for (const auto& [name, product] : kProducts) {
    if (without_maker(gpu.name) == name) return std::string(product);
  }
  return "";
}

Machine inspect_machine() {
  Machine machine;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) machine.host = host.data();
  machine.host = formats::clean_name(machine.host.substr(0, machine.host.find('.')), "node1");
  machine.cpus = std::max(1U, std::thread::hardware_concurrency());
  machine.memory = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  machine.gpus = parse_nvidia_smi(first_lines_of(
      "nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits 2>/dev/null"));
  if (machine.gpus.empty()) machine.no_gpus = "nvidia-smi is not there or names none";
  for (const FoundGpu& gpu : machine.gpus) {
    if (gpu == machine.gpus.front()) continue;
    machine.gpus.clear();
    machine.no_gpus = "they are of several models, and a pool has one: write one pool for each";
    break;
  }
  return machine;
}

std::string cluster_text(const Machine& machine, std::int64_t declared,
                         const std::string& declared_model) {
  // A sixteenth stays with the system.
  const std::int64_t gib = std::max<std::int64_t>(machine.memory * 15 / 16 >> 30, 1);
  return fmt::format(
             "# Written by headroom init. Check it with headroom lint, start with\n"
             "#   headroom serve --cluster cluster.yaml\n"
             "# and change it later with headroom apply.\n"
             "cluster: {0}\n"
             "nodes:\n"
             "  - pool: local\n"
             "    count: 1\n"
             "    name: {0}\n",
             machine.host) +
         gpu_part(machine, declared, declared_model) +
         fmt::format(
             "    cpu: {}\n"
             "    memory: {}GiB   # a sixteenth is left to the system\n"
             "\n"
             "# Who shares it. A guarantee is what a queue gets back when it needs it; what is "
             "idle\n"
             "# can be borrowed by every queue.\n"
             "queues:\n"
             "  - name: default\n"
             "#  - {{name: research, guarantee: {{local: 4}}, weight: 2}}\n",
             machine.cpus, gib);
}

}  // namespace headroom::cli

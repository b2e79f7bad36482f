#include "formats/openb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "formats/csv.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Bytes;
using base::CpuMilli;
using base::GpuMilli;
using base::Result;
using model::Cluster;
using model::GpuRequest;
using model::Task;

namespace {

constexpr std::int64_t kMostCpuMilli = 100'000'000;     // 100,000 cores
constexpr std::int64_t kMostMemoryMib = 1'000'000'000;  // about 1 PB
constexpr std::int64_t kLargestNode = 8;                // GPUs, in the trace

struct OpenbModel {
  const char* name;
  std::int64_t memory_gb;  // 0: not known
};

constexpr std::array kModels{
    OpenbModel{"G1", 0},       OpenbModel{"G2", 0},   OpenbModel{"G3", 0},
    OpenbModel{"P100", 16},    OpenbModel{"T4", 16},  OpenbModel{"V100M16", 16},
    OpenbModel{"V100M32", 32}, OpenbModel{"A10", 24},
};

const CsvColumns kNodeColumns{.required = {"sn", "cpu_milli", "memory_mib", "gpu", "model"}};
enum NodeColumn : std::size_t { kSn, kNodeCpu, kNodeMemory, kNodeGpu, kNodeModel };

const CsvColumns kTaskColumns{
    .required = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"},
    .optional = {"gpu_spec"},
    .ignored = {"qos", "pod_phase", "creation_time", "deletion_time", "scheduled_time"}};
enum TaskColumn : std::size_t { kName, kCpu, kMemory, kNumGpu, kGpuMilli, kGpuSpec };

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const OpenbModel& known : kModels) names.emplace_back(known.name);
  return names;
}

Result<void> check_model(const Csv& csv, std::size_t column, std::string_view name) {
  const std::vector<std::string> names = model_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  return csv.bad(column, fmt::format("unknown GPU model {}{}", shown(name), hint(name, names)));
}

// Names seen so far, with their lines.
class Names {
 public:
  Result<void> add(const Csv& csv, std::size_t column) {
    const std::string name(csv.field(column));
    if (name.empty()) return csv.bad(column, "the name is empty");
    const auto [where, is_new] = lines_.emplace(name, csv.line());
    if (is_new) return {};
    return csv.bad(column,
                   fmt::format("{} is there twice (first in line {})", shown(name), where->second));
  }

 private:
  std::map<std::string, int, std::less<>> lines_;
};

Result<void> read_gpus(const Csv& csv, const Cluster& cluster, model::NodeShape& shape) {
  const auto gpus = csv.integer(kNodeGpu, 0, model::kMaxGpusPerNode);
  if (!gpus) return tl::unexpected(gpus.error());
  const std::string_view model_name = csv.field(kNodeModel);
  if (*gpus == 0) {
    if (model_name.empty()) return {};
    return csv.bad(kNodeModel, shown(model_name) + " is given for a node without GPUs");
  }
  if (Result<void> known = check_model(csv, kNodeModel, model_name); !known) return known;
  if (*gpus > kLargestNode) {
    return csv.bad(kNodeGpu, fmt::format("{} is not in 0..{}: a node has at most {} {} GPUs", *gpus,
                                         kLargestNode, kLargestNode, model_name));
  }
  shape.gpus = static_cast<int>(*gpus);
  shape.gpu_model = cluster.find_gpu_model(model_name);
  shape.pool = model_name;
  return {};
}

Result<void> read_node(const Csv& csv, Names& names, Cluster& cluster) {
  const auto cpu = csv.integer(kNodeCpu, 0, kMostCpuMilli);
  if (!cpu) return tl::unexpected(cpu.error());
  const auto memory = csv.integer(kNodeMemory, 0, kMostMemoryMib);
  if (!memory) return tl::unexpected(memory.error());
  model::NodeShape shape{.pool = "cpu", .cpu = CpuMilli{*cpu}, .memory = base::mebibytes(*memory)};
  if (Result<void> done = read_gpus(csv, cluster, shape); !done) return done;
  if (Result<void> done = names.add(csv, kSn); !done) return done;
  cluster.nodes.push_back(
      {.name = std::string(csv.field(kSn)), .shape = cluster.intern_shape(shape)});
  return {};
}

Result<GpuRequest> read_gpu_request(const Csv& csv) {
  const auto count = csv.integer(kNumGpu, 0, model::kMaxGpusPerNode);
  if (!count) return tl::unexpected(count.error());
  const auto milli = csv.integer(kGpuMilli, 0, base::kWholeGpu.value());
  if (!milli) return tl::unexpected(milli.error());
  if (*count == 0) {
    if (*milli == 0) return GpuRequest{};
    return csv.bad(kGpuMilli, fmt::format("{} is not 0 for a task without GPUs", *milli));
  }
  if (*milli == base::kWholeGpu.value()) return GpuRequest::whole(static_cast<int>(*count));
  if (*count > 1) {
    return csv.bad(kGpuMilli, fmt::format("{} is not 1000 for a task of {} GPUs", *milli, *count));
  }
  if (*milli == 0) return csv.bad(kGpuMilli, "0 is not in 1..1000 for a task of 1 GPU");
  return GpuRequest::fraction(GpuMilli{*milli});
}

Result<std::vector<std::string>> read_models(const Csv& csv, const GpuRequest& gpu) {
  std::vector<std::string> models;
  std::string_view rest = csv.field(kGpuSpec);
  if (rest.empty()) return models;
  if (gpu.kind == GpuRequest::Kind::kNone) {
    return csv.bad(kGpuSpec, shown(rest) + " is given for a task without GPUs");
  }
  while (true) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    const std::string_view name = rest.substr(0, end);
    if (Result<void> known = check_model(csv, kGpuSpec, name); !known) {
      return tl::unexpected(known.error());
    }
    models.emplace_back(name);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  std::sort(models.begin(), models.end());
  return models;
}

Result<void> read_task(const Csv& csv, Names& names, std::vector<Task>& tasks) {
  const auto cpu = csv.integer(kCpu, 0, kMostCpuMilli);
  if (!cpu) return tl::unexpected(cpu.error());
  const auto memory = csv.integer(kMemory, 0, kMostMemoryMib);
  if (!memory) return tl::unexpected(memory.error());
  const Result<GpuRequest> gpu = read_gpu_request(csv);
  if (!gpu) return tl::unexpected(gpu.error());
  Result<std::vector<std::string>> models = read_models(csv, *gpu);
  if (!models) return tl::unexpected(models.error());
  if (Result<void> done = names.add(csv, kName); !done) return done;
  tasks.push_back({.name = std::string(csv.field(kName)),
                   .request = {.cpu = CpuMilli{*cpu},
                               .memory = base::mebibytes(*memory),
                               .gpu = *gpu,
                               .gpu_models = std::move(*models)}});
  return {};
}

bool first_line_has(const std::string& text, const std::vector<std::string>& titles) {
  const std::string line =
      "," + text.substr(0, std::min(text.find_first_of("\r\n"), text.size())) + ",";
  const auto is_there = [&](const std::string& title) {
    return line.find("," + title + ",") != std::string::npos;
  };
  return std::all_of(titles.begin(), titles.end(), is_there);
}

}  // namespace

Result<Rows<Cluster>> read_openb_nodes(const std::string& name, const std::string& text,
                                       Strictness strictness) {
  Result<Csv> csv = Csv::open(name, text, kNodeColumns);
  if (!csv) return tl::unexpected(csv.error());
  Rows<Cluster> rows;
  rows.value.name = "openb";
  for (const OpenbModel& known : kModels) {
    rows.value.gpu_models.push_back(
        {.name = known.name, .memory = base::gigabytes(known.memory_gb)});
  }
  Names names;
  const auto parse = [&] { return read_node(*csv, names, rows.value); };
  if (auto done = for_each_row(*csv, strictness, rows, parse); !done) {
    return tl::unexpected(done.error());
  }
  return rows;
}

Result<Rows<std::vector<Task>>> read_openb_tasks(const std::string& name, const std::string& text,
                                                 Strictness strictness) {
  Result<Csv> csv = Csv::open(name, text, kTaskColumns);
  if (!csv) return tl::unexpected(csv.error());
  Rows<std::vector<Task>> rows;
  Names names;
  const auto parse = [&] { return read_task(*csv, names, rows.value); };
  if (auto done = for_each_row(*csv, strictness, rows, parse); !done) {
    return tl::unexpected(done.error());
  }
  const auto by_name = [](const Task& a, const Task& b) { return a.name < b.name; };
  std::sort(rows.value.begin(), rows.value.end(), by_name);
  return rows;
}

bool looks_like_openb_nodes(const std::string& text) { return first_line_has(text, {"sn"}); }

bool looks_like_openb_tasks(const std::string& text) {
  return first_line_has(text, {"name", "cpu_milli"});
}

}  // namespace headroom::formats

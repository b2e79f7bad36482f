#include "formats/slurm_request.h"

#include <algorithm>

#include "formats/known.h"
#include "formats/mig_profiles.h"

namespace headroom::formats {

namespace {

constexpr std::int64_t kMostTasks = 1'000'000;  // of a group, as in job.yaml
constexpr std::int64_t kUsualGpus = 8;          // of a node, where nothing else is told

// The products that a site's word for a type stands for; none when the catalogue has no such name.
std::vector<std::string> products_of(const std::string& type) {
  static const Known known = known_products();
  return known.wish(gpu_word(type)).value_or(std::vector<std::string>{});
}

// `total` over `parts`: the larger share and how many get it.
struct Division {
  std::int64_t larger = 0;
  std::int64_t times = 0;
};
Division divide(std::int64_t total, std::int64_t parts) {
  const std::int64_t rest = total % parts;
  return {.larger = total / parts + (rest > 0 ? 1 : 0), .times = rest > 0 ? rest : parts};
}

std::int64_t round_up(std::int64_t total, std::int64_t parts) {
  return divide(total, parts).larger;
}

struct Size {
  std::int64_t nodes = 1;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  base::Bytes memory;
  std::string type;
};

Size size_of(const SlurmJob& job, std::map<std::string, std::int64_t>& counts) {
  const Tres& asked = job.requested.is_known ? job.requested : job.allocated;
  const SubmitLine line = parse_submit_line(job.submit_line);
  Size size;
  size.nodes = job.nodes > 0 ? job.nodes : std::max(job.allocated.nodes, asked.nodes);
  size.nodes = std::clamp<std::int64_t>(size.nodes, 1, kMostTasks);
  size.cpus = asked.cpu > 0 ? asked.cpu : job.cpus;
  size.gpus = std::max(job.requested.gpus, job.requested.gpus > 0 ? 0 : job.allocated.gpus);
  if (size.gpus == 0 && (line.gpus > 0 || line.gpus_per_node > 0)) {
    size.gpus = line.gpus > 0 ? line.gpus : line.gpus_per_node * size.nodes;
    ++counts["the GPUs are told by the submit line alone"];
  }
  size.gpus = std::min(size.gpus, kMostTasks);
  size.memory = asked.memory;
  if (size.memory == base::Bytes{}) {
    const std::int64_t times = job.memory.per_cpu ? std::max<std::int64_t>(size.cpus, 1)
                                                  : (job.memory.per_node ? size.nodes : 1);
    // What would not fit into 64 bits is a mistake of the accounting, and no amount.
    if (job.memory.amount.value() <= (std::int64_t{1} << 62) / times) {
      size.memory = job.memory.amount * times;
    }
  }
  const std::vector<SlurmGpus>& types =
      job.requested.gpus > 0 ? job.requested.types : job.allocated.types;
  if (types.size() == 1) size.type = types[0].type;
  if (types.size() > 1) ++counts["GPUs of several types are wanted: any will do"];
  if (asked.shards > 0) ++counts["shards of GPUs are left out"];
  if (!asked.is_known && job.cpus == 0) size.cpus = 1;
  if (size.gpus > size.nodes * model::kMaxGpusPerNode) {
    size.nodes = divide(size.gpus, kUsualGpus).larger;
    ++counts["more GPUs than the nodes can hold, so 8 a node are taken"];
  }
  return size;
}

}  // namespace

std::vector<model::TaskGroup> slurm_groups(const SlurmJob& job,
                                           std::map<std::string, std::int64_t>& counts) {
  const Size size = size_of(job, counts);
  model::TaskGroup group{.tasks = size.nodes};
  group.request.cpu = base::CpuMilli{1000 * round_up(size.cpus, size.nodes)};
  group.request.memory = base::Bytes{round_up(size.memory.value(), size.nodes)};
  if (size.gpus == 0) return {group};
  if (looks_like_mig_profile(size.type)) {
    group.tasks = size.gpus;
    group.request.cpu = base::CpuMilli{1000 * round_up(size.cpus, size.gpus)};
    group.request.memory = base::Bytes{round_up(size.memory.value(), size.gpus)};
    const base::Result<std::string> profile = known_products().mig_profile(size.type);
    if (!profile) ++counts["the MIG profile '" + size.type + "' is not known: any GPU will do"];
    group.request.gpu = profile ? model::GpuRequest::mig(*profile) : model::GpuRequest::whole(1);
    return {group};
  }
  if (!size.type.empty()) {
    group.request.gpu_models = products_of(size.type);
    if (group.request.gpu_models.empty()) {
      ++counts["the GPU type '" + size.type + "' is not in the catalogue: any GPU will do"];
    }
  }
  const Division gpus = divide(size.gpus, size.nodes);
  const auto whole = [](std::int64_t count) {
    return count == 0 ? model::GpuRequest{} : model::GpuRequest::whole(static_cast<int>(count));
  };
  group.tasks = gpus.times;
  group.request.gpu = whole(gpus.larger);
  if (gpus.times == size.nodes) return {group};
  group.name = "more";
  model::TaskGroup fewer = group;
  fewer.name = "fewer";
  fewer.tasks = size.nodes - gpus.times;
  fewer.request.gpu = whole(gpus.larger - 1);
  if (gpus.larger == 1) fewer.request.gpu_models.clear();
  return {group, fewer};
}

std::string gpu_word(std::string type) {
  for (const std::string_view prefix : {"nvidia_", "nvidia-", "tesla_", "tesla-"}) {
    if (type.starts_with(prefix)) type.erase(0, prefix.size());
  }
  std::replace(type.begin(), type.end(), '_', '-');
  return type;
}

SubmitLine parse_submit_line(std::string_view text) {
  SubmitLine line;
  const std::vector<std::string_view> words = split_outside(text, ' ');
  const auto value_of = [&](std::size_t& i, std::string_view full, std::string_view brief) {
    const std::string_view word = words[i];
    if (word.starts_with(full) && word.size() > full.size() && word[full.size()] == '=') {
      return word.substr(full.size() + 1);
    }
    if (word == full || word == brief) return i + 1 < words.size() ? words[++i] : "";
    if (!brief.empty() && word.starts_with(brief) && !word.starts_with("--")) {
      return word.substr(brief.size());
    }
    return std::string_view();
  };
  const auto count = [](std::string_view value) {
    const auto gpus = parse_gres("gpu:" + std::string(value));
    return gpus && gpus->size() == 1 ? (*gpus)[0].count : 0;
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const auto value = value_of(i, "--dependency", "-d"); !value.empty()) line.after = value;
    if (i >= words.size()) break;
    if (const auto value = value_of(i, "--gpus-per-node", ""); !value.empty()) {
      line.gpus_per_node = count(value);
    } else if (const auto all = value_of(i, "--gpus", "-G"); !all.empty()) {
      line.gpus = count(all);
    } else if (const auto gres = value_of(i, "--gres", ""); !gres.empty()) {
      const auto gpus = parse_gres(gres);
      if (gpus && !gpus->empty()) line.gpus_per_node = (*gpus)[0].count;
    }
  }
  return line;
}

}  // namespace headroom::formats

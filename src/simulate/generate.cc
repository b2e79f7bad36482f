#include "simulate/generate.h"

#include <algorithm>
#include <array>

#include "simulate/job_stream.h"

namespace headroom::simulate {

namespace {

constexpr std::int64_t kGpusOfANode = 8;
constexpr std::int64_t kMostNodeDays = 50'000;
constexpr std::int64_t kMostLoad = 10'000;
constexpr base::Duration kMinute{60'000};
constexpr const char* kPool = "h100";

// What is left when zeros are replaced.
struct Size {
  std::int64_t days;
  std::int64_t load_permille;
  std::int64_t nodes;

  std::int64_t gpus() const { return nodes * kGpusOfANode; }
  std::int64_t work() const {  // GPU milli x ms; a day has 86,400 seconds
    return gpus() * days * 86'400 * 1000 * load_permille;
  }
};

model::Site site(const std::string& name, const Size& size) {
  model::PoolSpec pool{.pool = kPool, .count = size.nodes};
  pool.gpu = model::GpuSpec{.model = "H100-SXM", .count = kGpusOfANode};
  pool.cpu = base::CpuMilli{96'000};
  pool.memory = base::gibibytes(1024);
  model::Site made{.cluster = name};
  made.nodes = {pool};
  return made;
}

// No job is larger than `most` GPUs.
void cut(std::vector<SizeWeight>& sizes, std::int64_t most) {
  std::erase_if(sizes, [&](const SizeWeight& one) { return one.gpu_milli > most * 1000; });
}

void run_streams(std::vector<StreamSpec> specs, std::int64_t work, std::int64_t most_gpus,
                 const Week& week, base::Rng& rng, std::vector<model::HistoricJob>& jobs) {
  std::int64_t parts = 0;
  for (const StreamSpec& spec : specs) parts += spec.part;
  for (StreamSpec& spec : specs) {
    cut(spec.sizes, most_gpus);
    add_stream(spec, work / parts * spec.part, week, rng, jobs);
  }
}

std::vector<StreamSpec> hpc_streams() {
  const StreamSpec batch{.names = {"train", "simulate", "fold", "render", "evaluate", "sweep"},
                         .sizes = {{1'000, 400},
                                   {2'000, 150},
                                   {3'000, 12},
                                   {4'000, 130},
                                   {5'000, 4},
                                   {6'000, 14},
                                   {8'000, 160},
                                   {16'000, 64},
                                   {24'000, 6},
                                   {32'000, 30},
                                   {48'000, 3},
                                   {64'000, 15},
                                   {96'000, 2},
                                   {128'000, 7},
                                   {192'000, 1},
                                   {256'000, 2}},
                         .median = kMinute * 40,
                         .sigma = 1600};
  constexpr std::array<std::pair<const char*, std::int64_t>, 6> kQueues = {{{"physics", 280},
                                                                            {"biology", 220},
                                                                            {"climate", 170},
                                                                            {"chemistry", 140},
                                                                            {"vision", 110},
                                                                            {"language", 80}}};
  std::vector<StreamSpec> streams;
  for (const auto& [queue, part] : kQueues) {
    streams.push_back(batch);
    streams.back().queue = queue;
    streams.back().part = part;
  }
  return streams;
}

Generated hpc(const Size& size, base::Rng& rng) {
  Generated made{site("hpc", size), {}};
  const std::vector<StreamSpec> streams = hpc_streams();
  for (const StreamSpec& one : streams) made.site.queues.push_back({.name = one.queue});
  run_streams(streams, size.work(), size.gpus(), Week(size.days), rng, made.jobs.jobs);
  return made;
}

std::vector<StreamSpec> mixed_streams() {
  return {{.queue = "training",
           .kind = model::JobKind::kTraining,
           .names = {"pretrain", "finetune", "align"},
           .sizes = {{8'000, 35}, {16'000, 30}, {32'000, 22}, {64'000, 9}, {128'000, 4}},
           .median = kMinute * 120,
           .sigma = 1200,
           .part = 550},
          {.queue = "batch",
           .names = {"evaluate", "sweep", "label", "convert"},
           .sizes = {{1'000, 1}},
           .median = kMinute * 25,
           .sigma = 1400,
           .part = 200},
          {.queue = "notebooks",
           .names = {"explore", "debug", "plot"},
           .sizes = {{100, 20}, {200, 25}, {250, 25}, {500, 30}},
           .median = kMinute * 40,
           .sigma = 1200,
           .part = 50}};
}

// GPUs that services need at most at a time.
std::int64_t peak_of(const std::vector<model::HistoricJob>& services, const Week& week) {
  std::int64_t peak = 0;
  for (std::int64_t hour = 1; hour <= week.hours(); ++hour) {
    std::int64_t gpus = 0;
    for (const model::HistoricJob& one : services) {
      const base::Time end = kMonday + kHour * hour;
      if (one.submit < end && one.submit + one.run >= end) gpus += model::gpus_of(one.job);
    }
    peak = std::max(peak, gpus);
  }
  return peak;
}

// Services are guaranteed their peak; the others have guarantees of 90 % of what is left.
std::vector<model::Queue> mixed_queues(std::int64_t gpus, std::int64_t services) {
  const std::int64_t left = (gpus - services) * 9 / 10;
  const auto queue = [](const char* name, std::int64_t guarantee) {
    return model::Queue{.name = name, .guarantee = {{kPool, guarantee}}};
  };
  std::vector<model::Queue> queues = {
      queue("training", left * 65 / 100), queue("batch", left * 25 / 100),
      queue("notebooks", left * 10 / 100), queue("serving", services)};
  queues[2].cooperative_sharing = true;
  return queues;
}

Generated mixed(const Size& size, base::Rng& rng) {
  Generated made{site("mixed", size), {}};
  std::vector<model::HistoricJob>& jobs = made.jobs.jobs;
  const Week week(size.days);
  add_services("serving", size.work() / 5, size.gpus() / 2, week, rng, jobs);
  made.site.queues = mixed_queues(size.gpus(), peak_of(jobs, week));
  std::int64_t left = size.work();
  for (const model::HistoricJob& one : jobs) left -= gpu_time(one);
  run_streams(mixed_streams(), left, std::max(kGpusOfANode, size.gpus() / 2), week, rng, jobs);
  return made;
}

base::Result<Size> size_of(const GenerateInput& input) {
  const bool is_hpc = input.load_name == "hpc";
  const auto or_else = [](std::int64_t value, std::int64_t other) {
    return value == 0 ? other : value;
  };
  const Size size{or_else(input.days, is_hpc ? 30 : 7),
                  or_else(input.load_permille, is_hpc ? 900 : 1000),
                  or_else(input.nodes, is_hpc ? 64 : 32)};
  const auto bad = [](const char* what, std::int64_t value, std::int64_t most) {
    return base::fail(std::string(what) + ": " + std::to_string(value) + " is not in 1.." +
                      std::to_string(most));
  };
  if (size.days < 1 || size.days > kMostNodeDays) return bad("days", size.days, kMostNodeDays);
  if (size.nodes < 1 || size.nodes > kMostNodeDays) return bad("nodes", size.nodes, kMostNodeDays);
  if (size.load_permille < 1 || size.load_permille > kMostLoad) {
    return bad("load, in thousandths", size.load_permille, kMostLoad);
  }
  if (size.days * size.nodes * size.load_permille > kMostNodeDays * 1000) {
    return base::fail("days x nodes x load is above " + std::to_string(kMostNodeDays) +
                      ": that would be millions of jobs");
  }
  return size;
}

}  // namespace

const std::vector<std::string>& load_names() {
  static const std::vector<std::string> names = {"hpc", "mixed"};
  return names;
}

base::Result<Generated> generate(const GenerateInput& input) {
  const auto& names = load_names();
  if (std::find(names.begin(), names.end(), input.load_name) == names.end()) {
    return base::fail("there is no load '" + input.load_name + "'");
  }
  const auto size = size_of(input);
  if (!size) return tl::unexpected(size.error());
  base::Rng rng(input.seed);
  Generated made = input.load_name == "hpc" ? hpc(*size, rng) : mixed(*size, rng);
  model::History& history = made.jobs;
  history.format = "headroom";
  history.cluster = made.site.cluster;
  history.sort_jobs();
  std::int64_t number = 0;
  for (model::HistoricJob& job : history.jobs) {
    job.number = ++number;
    job.id = std::to_string(number);
  }
  return made;
}

}  // namespace headroom::simulate

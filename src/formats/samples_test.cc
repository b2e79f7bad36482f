#include "formats/samples_test.h"

#include <algorithm>

#include "formats/catalogue.h"

namespace headroom::formats {

using base::Rng;
using namespace model;  // NOLINT: fills in the model's members

namespace {

std::int64_t often_zero(Rng& rng, std::int64_t most) {
  return rng.chance(1, 2) ? 0 : rng.between(1, most);
}

std::string random_text(Rng& rng) {
  static const std::vector<std::string> texts{
      "a b", "x: y", "# no",       "null",   "12",  "1e3",  "true",      "~",
      "- a", "é",    "line\nline", "\"q\"",  "'s'", "%",    "@",         "a,b",
      "{x}", "\\",   " lead",      "trail ", ">=1", "0x10", "2026-01-01"};
  return texts[rng.below(texts.size())];
}

// Where a text is one line.
std::string random_line(Rng& rng) {
  std::string text = random_text(rng);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<Label> random_map(Rng& rng) {
  std::vector<Label> map;
  for (std::int64_t i = rng.between(0, 3); i > 0; --i) {
    map.emplace_back(random_line(rng) + std::to_string(i), random_text(rng));
  }
  std::sort(map.begin(), map.end());
  return map;
}

GpuSpec random_gpu(Rng& rng) {
  if (rng.chance(1, 4)) {
    return {.model = "OWN1", .count = 4, .memory = base::gibibytes(rng.between(1, 100))};
  }
  const Product& product =
      built_in_catalogue().products[rng.below(built_in_catalogue().products.size())];
  const int most = product.gpus_per_node > 0 ? product.gpus_per_node : kMaxGpusPerNode;
  return {.model = product.gpu.name,
          .count = static_cast<int>(rng.between(1, most)),
          .mig = product.gpu.mig_slices > 0 && rng.chance(1, 2)};
}

PoolSpec random_pool(Rng& rng, int index) {
  PoolSpec pool;
  pool.pool = "p" + std::to_string(index);
  pool.count = rng.between(1, 99);
  if (rng.chance(1, 2)) {
    pool.name = "n" + std::to_string(index) + "-[1-" + std::to_string(pool.count) + "]";
  }
  if (rng.chance(2, 3)) pool.gpu = random_gpu(rng);
  pool.cpu = base::CpuMilli{rng.between(0, 256'000)};
  pool.memory = base::mebibytes(rng.between(0, 1 << 22));
  if (rng.chance(1, 2)) {
    pool.nic = NicSpec{.count = static_cast<int>(rng.between(1, 8)),
                       .rate = base::BytesPerSecond{rng.between(0, 100'000'000'000)},
                       .kind = rng.chance(1, 2) ? NicKind::kEthernet : NicKind::kInfiniband};
  }
  if (rng.chance(1, 2)) {
    pool.local_nvme = LocalStorageSpec{.capacity = base::gigabytes(rng.between(0, 1000)),
                                       .read = base::BytesPerSecond{often_zero(rng, 1 << 30)}};
  }
  pool.rack_size = often_zero(rng, 40);
  pool.nvlink_domain = rng.between(1, 18);
  pool.pod_size = often_zero(rng, 400);
  pool.labels = random_map(rng);
  return pool;
}

Queue random_queue(Rng& rng, int index, const Site& site) {
  Queue queue;
  queue.name = "q" + std::to_string(index);
  if (index > 0 && rng.chance(1, 2)) queue.name = site.queues.back().name + "/" + queue.name;
  const std::string pool = site.nodes.front().pool;
  const bool is_top = queue.name.find('/') == std::string::npos;
  if (is_top && site.nodes.front().gpu && rng.chance(1, 2)) {
    queue.cells = {{.pool = pool, .level = Level::kNode, .count = 1}};
  }
  if (rng.chance(1, 2)) {
    const bool gpus = site.nodes.front().gpu.has_value();
    queue.limit = {
        {.pool = gpus ? pool : std::string(model::kCpuPool), .amount = rng.between(100, 1000)}};
  }
  queue.weight = rng.between(1, 9);
  queue.priority = rng.between(-2, 2);
  queue.min_runtime = base::Duration{often_zero(rng, 1'000'000)};
  queue.cooperative_sharing = rng.chance(1, 2);
  queue.user_limits = {.gpus = rng.between(-1, 3), .running = -1, .waiting = rng.between(-1, 1)};
  return queue;
}

WindowSpec random_window(Rng& rng, int index, const Site& site, bool reservation) {
  const std::int64_t start = rng.between(0, 2'000'000'000);
  WindowSpec window{.name = "w" + std::to_string(index),
                    .nodes = "x1",
                    .start = base::Time{start * 1000},
                    .end = base::Time{(start + rng.between(1, 1'000'000)) * 1000}};
  if (reservation) window.queue = site.queues.front().name;
  return window;
}

Request random_request(Rng& rng) {
  Request request;
  request.cpu = base::CpuMilli{often_zero(rng, 100'000)};
  request.memory = base::Bytes{often_zero(rng, std::int64_t{1} << 40)};
  switch (rng.below(5)) {
    case 1:
      request.gpu = GpuRequest::whole(static_cast<int>(rng.between(1, 16)));
      break;
    case 2:
      request.gpu = GpuRequest::fraction(base::GpuMilli{rng.between(1, 999)});
      break;
    case 3:
      request.gpu = GpuRequest::amount(base::mebibytes(rng.between(1, 100'000)));
      break;
    case 4:
      request.gpu = GpuRequest::mig("2g.20gb");
      break;
    default:
      return request;
  }
  if (rng.chance(1, 2)) request.gpu_models = {"H100-SXM", "A100-80-SXM"};
  request.min_gpu_memory = base::gigabytes(often_zero(rng, 80));
  request.labels = random_map(rng);
  request.exclusive = rng.chance(1, 2);
  return request;
}

void fill_policy(Rng& rng, Job& job) {
  job.gang = rng.chance(1, 2) ? 0 : rng.between(1, job.tasks());
  if (rng.chance(1, 2)) job.elastic = ElasticSpec{.min = 1, .max = rng.between(1, 64)};
  if (rng.chance(1, 2)) {
    job.array =
        ArraySpec{.first = 0, .last = rng.between(0, 99), .most_running = often_zero(rng, 9)};
  }
  job.priority = rng.between(-5, 5);
  if (rng.chance(1, 2)) job.preemptible = rng.chance(1, 2);
  job.time = base::Duration{often_zero(rng, 1'000'000'000)};
  job.expected = base::Duration{often_zero(rng, 1'000'000'000)};
  job.begin = base::Time{often_zero(rng, 1'000'000) * 1000};
  job.deadline = base::Time{rng.chance(1, 2) ? 0 : job.begin.value() + 1000};
  for (std::int64_t i = rng.between(0, 3); i > 0; --i) {
    job.after.push_back({.kind = static_cast<Dependency::Kind>(rng.below(4)), .job = i});
  }
  job.retries = often_zero(rng, 5);
  job.restart_cost = base::Duration{often_zero(rng, 100'000)};
  job.hold = rng.chance(1, 2);
  if (rng.chance(1, 2)) {
    job.checkpoint = CheckpointSpec{.every = base::Duration{rng.between(1, 10'000'000)},
                                    .size = base::Bytes{often_zero(rng, 1 << 30)}};
    if (rng.chance(1, 2)) job.checkpoint->signal = {.name = "USR1", .before = base::Duration{500}};
  }
  if (rng.chance(1, 2)) job.topology = TopologySpec{.required = Level::kPod, .segment = 1};
  if (rng.chance(1, 2)) job.data = DataSpec{.storage = "scratch", .read_per_step = base::Bytes{7}};
}

}  // namespace

Site random_site(Rng& rng) {
  Site site;
  site.cluster = "c1";
  const int pools = static_cast<int>(rng.between(1, 4));
  for (int i = 0; i < pools; ++i) site.nodes.push_back(random_pool(rng, i));
  site.nodes.push_back({.pool = "x", .count = 1, .name = "x1"});
  if (rng.chance(1, 2)) {
    site.fabric = FabricSpec{.kind = FabricKind::kTorus,
                             .leaf_nodes = often_zero(rng, 32),
                             .oversubscription_permille = rng.between(1000, 9000),
                             .rails = static_cast<int>(rng.between(1, 8))};
  }
  for (std::int64_t i = rng.between(0, 2); i > 0; --i) {
    site.storage.push_back({.name = "s" + std::to_string(i),
                            .kind = "nfs",
                            .capacity = base::gigabytes(often_zero(rng, 9999)),
                            .read = base::BytesPerSecond{often_zero(rng, 1 << 30)},
                            .iops = base::Operations{often_zero(rng, 1 << 30)},
                            .clients_knee = often_zero(rng, 9),
                            .tier = StorageTier::kCold});
  }
  if (rng.chance(1, 2)) {
    site.facility = FacilitySpec{.site_power = base::Watts{often_zero(rng, 1 << 30)},
                                 .pue_permille = rng.between(1000, 5000)};
  }
  // One node is guaranteed in cells at most, so that there is always room.
  const int queues = static_cast<int>(rng.between(1, 2));
  for (int i = 0; i < queues; ++i) {
    site.queues.push_back(random_queue(rng, i, site));
    if (i > 0) site.queues.back().cells.clear();
  }
  if (rng.chance(1, 2)) site.reservations.push_back(random_window(rng, 0, site, true));
  if (rng.chance(1, 2)) site.maintenance.push_back(random_window(rng, 1, site, false));
  return site;
}

Job random_job(Rng& rng) {
  Job job;
  job.job = "j" + std::to_string(rng.below(100));
  if (rng.chance(1, 2)) job.name = random_line(rng);
  if (rng.chance(1, 2)) job.queue = "a/b";
  if (rng.chance(1, 2)) job.user = "42";
  job.kind = static_cast<JobKind>(rng.below(5));
  if (rng.chance(1, 2)) job.model = random_line(rng);
  job.groups.front() = {.tasks = rng.between(1, 20), .request = random_request(rng)};
  if (rng.chance(1, 3)) {
    job.groups.front().name = "first";
    job.groups.push_back({.name = "second", .tasks = 2, .request = random_request(rng)});
  }
  fill_policy(rng, job);
  job.env = random_map(rng);
  for (auto& [name, value] : job.env) std::replace(name.begin(), name.end(), '=', '-');
  std::sort(job.env.begin(), job.env.end());
  if (rng.chance(1, 2)) job.workdir = random_line(rng);
  if (rng.chance(1, 2)) job.output = random_line(rng);
  if (rng.chance(1, 2)) job.run = random_text(rng);
  return job;
}

}  // namespace headroom::formats

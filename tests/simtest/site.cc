#include "tests/simtest/site.h"

#include <algorithm>

#include "schedule/placements.h"
#include "tests/random_case.h"
#include "tests/simtest/cells.h"

namespace headroom::simtest {

namespace {

constexpr std::size_t kGpuPools = 3;

struct Pool {
  std::string name;
  int gpus = 0;
  std::int64_t nodes = 0;
  bool in_cells = false;  // guarantees are
  model::Level level = model::Level::kNode;
  std::int64_t cells = 0;  // that are not promised yet
};

class SiteMaker {
 public:
  explicit SiteMaker(base::Rng& rng) : rng_(rng) {}

  Site make(const std::string& policy) {
    make_nodes();
    make_fabric();
    make_queues();
    Site site;
    site.cluster = std::make_shared<const model::Cluster>(std::move(cluster_));
    site.queues = std::move(queues_);
    site.leaves = std::move(leaves_);
    site.settings.reservations = rng_.between(0, 3);
    site.settings.max_slips = static_cast<std::int32_t>(rng_.between(1, 3));
    site.settings.seed = rng_.below(1'000'000);
    site.settings.horizon = base::Duration{rng_.between(4, 24) * 3'600'000};
    site.policy = random_policy();
    if (!policy.empty()) site.policy = policy;  // the rest of the site is the same
    const auto& placements = schedule::placement_names();
    site.placement =
        rng_.chance(1, 2) ? "headroom_learned" : placements[rng_.below(placements.size())];
    return site;
  }

 private:
  std::string random_policy() {
    // Half of the lives are those of our own policy.
    static const std::vector<std::string> others = {"fifo", "easy", "easy",        "conservative",
                                                    "drf",  "las",  "drf_preempt", "slurm"};
    if (rng_.chance(1, 2)) return "headroom";
    return others[rng_.below(others.size())];
  }

  // One to three pools with GPUs, the second of them with MIG, and some nodes without GPUs.
  void make_nodes() {
    cluster_.name = "random";
    cluster_.gpu_models = {{.name = "H100", .memory = base::gigabytes(80)},
                           tests::a100(),
                           {.name = "L4", .memory = base::gigabytes(24)}};
    const std::vector<std::string> names = {"h100", "a100", "l4"};
    const std::size_t pools = rng_.below(kGpuPools) + 1;
    const auto all = static_cast<std::int64_t>(rng_.between(20, 40));
    const std::int64_t plain = rng_.between(0, 4);
    for (std::size_t p = 0; p < pools; ++p) {
      const std::int64_t share = (all - plain) / static_cast<std::int64_t>(pools);
      const std::int64_t count =
          p == 0 ? all - plain - share * static_cast<std::int64_t>(pools - 1) : share;
      model::NodeShape shape = shape_of(names[p]);
      shape.gpu_model = model::GpuModelId{p};
      shape.gpus = static_cast<int>(p == 2 ? rng_.between(1, 4) : rng_.chance(3, 4) ? 8 : 4);
      shape.mig = p == 1;
      pools_.push_back({names[p], shape.gpus, count});
      add(shape, count);
    }
    if (plain > 0) add(shape_of("login"), plain);
  }

  model::NodeShape shape_of(const std::string& pool) {
    return {.pool = pool,
            .cpu = base::CpuMilli{1000 * rng_.between(16, 96)},
            .memory = base::gibibytes(rng_.between(128, 1024))};
  }

  // Every fourth node or so has a label.
  void add(model::NodeShape shape, std::int64_t count) {
    const model::ShapeId bare = cluster_.intern_shape(shape);
    shape.labels.emplace_back("zone", "a");
    const model::ShapeId labelled = cluster_.intern_shape(shape);
    for (std::int64_t i = 0; i < count; ++i) {
      const model::ShapeId id = rng_.chance(1, 4) ? labelled : bare;
      cluster_.nodes.push_back({shape.pool + "-" + std::to_string(i), id});
    }
  }

  // Domains nest: 1, 2, 4, 4 or 8, 16 nodes. Now and then nobody knows where a node is.
  void make_fabric() {
    const std::size_t leaf = rng_.chance(1, 2) ? 4 : 8;
    const std::array<std::size_t, model::kLevels> size = {1, 2, 4, leaf, 16};
    std::vector<bool> unknown(cluster_.nodes.size());
    for (std::size_t i = 0; i < unknown.size(); ++i) unknown[i] = rng_.chance(1, 20);
    for (std::size_t level = 0; level < model::kLevels; ++level) {
      auto& domain_of = cluster_.fabric.domain_of[level];
      std::uint32_t& count = cluster_.fabric.domains[level];
      std::size_t last = cluster_.nodes.size();  // block of the domain at hand
      for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
        const bool known = level == 0 || !unknown[i];
        if (known && i / size[level] != last) {
          ++count;
          last = i / size[level];
        }
        domain_of.push_back(known ? model::DomainId{count - 1} : model::DomainId::none());
      }
    }
  }

  // Two or three queues at the top, some with children. What is promised is there.
  void make_queues() {
    std::vector<std::int64_t> left;
    for (const Pool& pool : pools_) left.push_back(pool.nodes * pool.gpus);
    choose_cells();
    const bool guarantees = rng_.chance(3, 4);
    const std::int64_t top = rng_.between(2, 3);
    for (std::int64_t t = 0; t < top; ++t) {
      model::Queue queue = queue_of(std::string(1, static_cast<char>('a' + t)));
      std::vector<std::int64_t> promised(pools_.size(), 0);
      for (std::size_t p = 0; p < pools_.size() && guarantees; ++p) {
        std::int64_t& there = pools_[p].in_cells ? pools_[p].cells : left[p];
        promised[p] = rng_.between(0, there);
        there -= promised[p];
        promise(queue, p, promised[p]);
      }
      const std::int64_t children = rng_.chance(1, 2) ? rng_.between(1, 3) : 0;
      const std::string name = queue.name;
      if (children > 0) queue.user_limits = {};
      if (children == 0) leaves_.push_back(name);
      queues_.push_back(std::move(queue));
      for (std::int64_t c = 0; c < children; ++c) {
        model::Queue child = queue_of(name + "/" + static_cast<char>('x' + c));
        for (std::size_t p = 0; p < pools_.size(); ++p) {
          const std::int64_t part = rng_.chance(1, 2) ? rng_.between(0, promised[p]) : 0;
          promised[p] -= part;
          promise(child, p, part);
        }
        leaves_.push_back(child.name);
        queues_.push_back(std::move(child));
      }
    }
  }

  model::Queue queue_of(const std::string& name) {
    model::Queue queue{.name = name, .weight = rng_.between(1, 4)};
    queue.priority = rng_.chance(1, 6) ? 1 : 0;
    queue.cooperative_sharing = rng_.chance(1, 2);
    if (rng_.chance(1, 4)) queue.user_limits.gpus = rng_.between(8, 32);
    if (rng_.chance(1, 4)) queue.user_limits.running = rng_.between(1, 6);
    if (rng_.chance(1, 4)) queue.user_limits.waiting = rng_.between(8, 30);
    return queue;
  }

  // In some pools guarantees are in whole domains.
  void choose_cells() {
    for (Pool& pool : pools_) {
      if (!rng_.chance(1, 4)) continue;
      pool.level = static_cast<model::Level>(rng_.below(model::kLevels));
      pool.in_cells = true;
      pool.cells = static_cast<std::int64_t>(whole_domains(cluster_, pool.name, pool.level).size());
    }
  }

  // A guarantee, and now and then a limit that is not below it.
  void promise(model::Queue& queue, std::size_t pool, std::int64_t amount) {
    const Pool& one = pools_[pool];
    if (one.in_cells) {
      if (amount > 0) queue.cells.push_back({one.name, one.level, amount});
      return;
    }
    if (amount > 0) queue.guarantee.push_back({one.name, amount});
    if (rng_.chance(1, 3)) {
      queue.limit.push_back({one.name, std::max(amount, rng_.between(1, one.nodes * one.gpus))});
    }
  }

  base::Rng& rng_;
  model::Cluster cluster_;
  std::vector<Pool> pools_;
  std::vector<model::Queue> queues_;
  std::vector<std::string> leaves_;
};

}  // namespace

Site random_site(base::Rng& rng, const std::string& policy) { return SiteMaker(rng).make(policy); }

}  // namespace headroom::simtest

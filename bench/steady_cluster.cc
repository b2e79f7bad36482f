#include "steady_cluster.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "formats/openb.h"
#include "schedule/placements.h"

namespace headroom::bench {

namespace {

std::shared_ptr<const model::Cluster> equal_nodes(std::size_t count) {
  auto cluster = std::make_shared<model::Cluster>();
  cluster->gpu_models.push_back({.name = "G2", .memory = base::gibibytes(32)});
  const model::NodeShape shape{.pool = "gpu",
                               .cpu = base::CpuMilli{96'000},
                               .memory = base::gibibytes(384),
                               .gpu_model = model::GpuModelId{0},
                               .gpus = 8};
  const model::ShapeId id = cluster->intern_shape(shape);
  for (std::size_t i = 0; i < count; ++i) {
    cluster->nodes.push_back({"n" + std::to_string(i), id});
  }
  return cluster;
}

}  // namespace

simulate::Workload openb_gpu_tasks() {
  const std::string path = HEADROOM_SOURCE_DIR "/data/openb/openb_pod_list_default.csv";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto tasks = formats::read_openb_tasks(path, text.str(), {});
  if (!tasks) {
    std::fprintf(stderr, "%s\n", tasks.error().message.c_str());
    std::exit(2);
  }
  std::erase_if(tasks->value, [](const model::Task& task) {
    return task.request.gpu.kind == model::GpuRequest::Kind::kNone;
  });
  return simulate::make_workload(std::move(tasks->value));
}

SteadyCluster::SteadyCluster(std::size_t nodes, const std::string& placement)
    : workload_(openb_gpu_tasks()) {
  const auto cluster = equal_nodes(nodes);
  capacity_ = cluster->gpu_capacity().value();
  state_ = std::make_unique<schedule::ClusterState>(cluster);
  placer_ = std::make_unique<schedule::Placer>(
      *state_, schedule::make_placement(placement, *cluster, workload_.mix));
  for (const model::Request& request : workload_.requests) ids_.push_back(state_->intern(request));
  while (allocated_ * 10 < capacity_ * 9) {
    arrive();
    place();
  }
}

void SteadyCluster::arrive() {
  next_ = workload_.request_of[rng_.below(workload_.request_of.size())];
  placer_->arrived(ids_[next_]);
}

bool SteadyCluster::place() {
  const auto choice = placer_->choose(ids_[next_], rng_);
  if (!choice) return false;
  running_.push_back(state_->place(tasks_++, ids_[next_], choice->node, choice->devices));
  allocated_ += state_->demand(ids_[next_], choice->node).gpu_milli();
  return true;
}

void SteadyCluster::depart() {
  while (allocated_ * 10 > capacity_ * 9) {
    std::swap(running_[rng_.below(running_.size())], running_.back());
    const schedule::Allocation& leaving = state_->allocation(running_.back());
    allocated_ -= state_->demand(leaving.request, leaving.node).gpu_milli();
    state_->release(running_.back());
    running_.pop_back();
  }
}

bool SteadyCluster::step() {
  arrive();
  const bool placed = place();
  depart();
  return placed;
}

double SteadyCluster::allocated_percent() const {
  return 100.0 * static_cast<double>(allocated_) / static_cast<double>(capacity_);
}

}  // namespace headroom::bench

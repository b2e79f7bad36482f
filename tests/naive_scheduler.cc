#include "tests/naive_scheduler.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headroom::tests {

using model::GpuRequest;
using schedule::DeviceChoice;

NaiveScheduler::NaiveScheduler(std::shared_ptr<const model::Cluster> cluster,
                               std::vector<model::NodeId> order, std::string placement,
                               const schedule::TaskMix& mix)
    : cluster_(std::move(cluster)),
      order_(std::move(order)),
      placement_(std::move(placement)),
      classes_(schedule::typical_classes(mix)),
      schedulable_(cluster_->nodes.size(), true) {
  for (const model::GpuModel& gpu : cluster_->gpu_models) mig_.emplace_back(gpu);
  if (!placement_.starts_with("headroom")) return;
  using Knows = schedule::HeadroomPlacement::Knows;
  const Knows knows = placement_ == "headroom" ? Knows::kWholeMix : Knows::kArrivals;
  learned_ = std::make_unique<schedule::HeadroomPlacement>(*cluster_, mix, knows);
}

void NaiveScheduler::arrived(const model::Request& request) {
  if (!learned_) return;
  schedule::ClusterState state = rebuilt();
  learned_->arrived(state, state.intern(request));
}

schedule::ClusterState NaiveScheduler::rebuilt() const {
  schedule::ClusterState fresh(cluster_);
  for (const auto& [task, one] : running_) {
    fresh.place(task, fresh.intern(one.request), one.choice.node, one.choice.devices);
  }
  for (std::size_t i = 0; i < schedulable_.size(); ++i) {
    if (!schedulable_[i]) fresh.set_schedulable(model::NodeId{i}, false);
  }
  return fresh;
}

void NaiveScheduler::place(schedule::TaskId task, const model::Request& request,
                           const schedule::Choice& choice) {
  running_[task] = {request, choice};
}

void NaiveScheduler::release(schedule::TaskId task) { running_.erase(task); }

void NaiveScheduler::set_schedulable(model::NodeId node, bool schedulable) {
  schedulable_[node.index()] = schedulable;
}

const model::GpuModel* NaiveScheduler::gpu_model(model::NodeId node) const {
  const model::GpuModelId id = shape(node).gpu_model;
  return id.valid() ? &cluster_->gpu_models[id.index()] : nullptr;
}

NaiveScheduler::Room NaiveScheduler::room(model::NodeId node) const {
  Room room{.cpu = shape(node).cpu.value(),
            .memory = shape(node).memory.value(),
            .gpus = std::vector<Gpu>(static_cast<std::size_t>(shape(node).gpus)),
            .sizes = {}};
  for (const auto& [task, one] : running_) {
    if (one.choice.node == node) take(room, one.request, one.choice.devices, node);
  }
  return room;
}

// Milli of one GPU that the request needs; more than 1000 when it can never fit.
int NaiveScheduler::share_asked(const model::Request& request, model::NodeId node) const {
  if (request.gpu.kind == GpuRequest::Kind::kWhole) return 1000;
  if (request.gpu.kind == GpuRequest::Kind::kShare) {
    return static_cast<int>(request.gpu.share.value());
  }
  const long double memory = static_cast<long double>(gpu_model(node)->memory.value());
  const long double part = static_cast<long double>(request.gpu.memory.value()) / memory;
  return part > 1 ? 1001 : static_cast<int>(std::ceil(part * 1000 - 1e-12L));
}

bool NaiveScheduler::gpu_fits(const Gpu& gpu, const model::Request& request,
                              model::NodeId node) const {
  if (request.gpu.kind != GpuRequest::Kind::kMig) {
    return !gpu.mig && gpu.free >= share_asked(request, node);
  }
  const model::MigProfile* profile = gpu_model(node)->profile(request.gpu.profile);
  if (!shape(node).mig || profile == nullptr) return false;
  if (!gpu.mig && gpu.free < 1000) return false;
  if (gpu.media && request.gpu.profile.ends_with("+me")) return false;
  for (int start = 0; start < 8; ++start) {
    const unsigned covered = ((1u << profile->size) - 1u) << start;
    if ((profile->starts >> start & 1) != 0 && (covered & gpu.used) == 0) return true;
  }
  return false;
}

bool NaiveScheduler::fits(const Room& room, const model::Request& request,
                          model::NodeId node) const {
  return schedulable_[node.index()] && has_room(room, request, node);
}

bool NaiveScheduler::has_room(const Room& room, const model::Request& request,
                              model::NodeId node) const {
  if (room.exclusive) return false;
  if (request.exclusive && room.tasks > 0) return false;
  if (request.cpu.value() > room.cpu || request.memory.value() > room.memory) return false;
  for (const model::Label& label : request.labels) {
    const auto& labels = shape(node).labels;
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) return false;
  }
  if (request.gpu.kind == GpuRequest::Kind::kNone) return true;
  const model::GpuModel* gpu = gpu_model(node);
  if (gpu == nullptr || gpu->memory < request.min_gpu_memory) return false;
  const auto& models = request.gpu_models;
  if (!models.empty() && std::find(models.begin(), models.end(), gpu->name) == models.end()) {
    return false;
  }
  const auto fitting = std::count_if(room.gpus.begin(), room.gpus.end(),
                                     [&](const Gpu& one) { return gpu_fits(one, request, node); });
  return fitting >= std::max(1, request.gpu.count);
}

void NaiveScheduler::take(Room& room, const model::Request& request, const DeviceChoice& devices,
                          model::NodeId node) const {
  room.cpu -= request.cpu.value();
  room.memory -= request.memory.value();
  ++room.tasks;
  room.exclusive = request.exclusive;
  if (request.gpu.kind == GpuRequest::Kind::kNone) return;
  bool part = false;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    if ((devices.mask >> i & 1) == 0) continue;
    Gpu& gpu = room.gpus[i];
    if (request.gpu.kind == GpuRequest::Kind::kMig) {
      const model::MigProfile* profile = gpu_model(node)->profile(request.gpu.profile);
      gpu.mig = true;
      gpu.media = gpu.media || request.gpu.profile.ends_with("+me");
      gpu.used |= ((1u << profile->size) - 1u) << devices.mig_start;
      part = true;
    } else {
      const int share = share_asked(request, node);
      gpu.free -= share;
      part = part || share < 1000;
    }
  }
  room.sizes.push_back(part ? 0 : std::popcount(devices.mask));
}

// Every GPU choice that the rules allow: whole GPUs by index, else each GPU that has room.
std::vector<DeviceChoice> NaiveScheduler::options(const Room& room, const model::Request& request,
                                                  model::NodeId node) const {
  if (request.gpu.kind == GpuRequest::Kind::kNone) return {DeviceChoice{}};
  const bool whole = request.gpu.kind == GpuRequest::Kind::kWhole;
  const bool mig = request.gpu.kind == GpuRequest::Kind::kMig;
  std::vector<DeviceChoice> options;
  DeviceChoice by_index;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    if (!gpu_fits(room.gpus[i], request, node)) continue;
    DeviceChoice one{.mask = static_cast<std::uint16_t>(1u << i)};
    if (mig) {
      const model::GpuModel* gpu = gpu_model(node);
      const auto profile =
          static_cast<std::size_t>(gpu->profile(request.gpu.profile) - gpu->mig_profiles.data());
      one.mig_start = mig_[shape(node).gpu_model.index()].start(
          profile, static_cast<std::uint8_t>(room.gpus[i].used));
    }
    options.push_back(one);
    if (std::popcount(by_index.mask) < request.gpu.count) {
      by_index.mask = static_cast<std::uint16_t>(by_index.mask | one.mask);
    }
  }
  if (whole) return {by_index};
  return options;
}

DeviceChoice NaiveScheduler::tightest(const Room& room, const model::Request& request,
                                      model::NodeId node, bool roomiest) const {
  const std::vector<DeviceChoice> all = options(room, request, node);
  const auto left = [&](const DeviceChoice& choice) {
    if (choice.mask == 0) return 0;
    const Gpu& gpu = room.gpus[static_cast<std::size_t>(std::countr_zero(choice.mask))];
    if (request.gpu.kind == GpuRequest::Kind::kMig) {
      return mig_[shape(node).gpu_model.index()].worth(static_cast<std::uint8_t>(gpu.used));
    }
    return gpu.free;
  };
  DeviceChoice best = all.front();
  for (const DeviceChoice& one : all) {
    if (roomiest ? left(one) > left(best) : left(one) < left(best)) best = one;
  }
  return best;
}

double NaiveScheduler::idle(const Gpu& gpu, model::NodeId node) const {
  const int slices = gpu_model(node)->mig_slices;
  return gpu.mig ? 1000.0 * (slices - std::popcount(gpu.used)) / slices : gpu.free;
}

double NaiveScheduler::idle(const Room& room, model::NodeId node) const {
  double sum = 0;
  for (const Gpu& gpu : room.gpus) sum += idle(gpu, node);
  return sum;
}

// The definition, class by class and GPU by GPU.
std::int64_t NaiveScheduler::fragment(const Room& room, model::NodeId node) const {
  std::int64_t total = 0;
  for (const schedule::TaskClass& one : classes_) {
    const model::Request& request = one.request;
    const auto all = static_cast<std::int64_t>(idle(room, node));
    if (request.gpu.kind == GpuRequest::Kind::kNone) {
      total += one.count * all;
      continue;
    }
    Room unlimited = room;  // who else is on the node, and its memory, do not matter to F
    unlimited.memory = std::numeric_limits<std::int64_t>::max();
    unlimited.tasks = 0;
    unlimited.exclusive = false;
    std::int64_t too_small = 0;
    for (const Gpu& gpu : room.gpus) {
      if (!gpu_fits(gpu, request, node)) too_small += static_cast<std::int64_t>(idle(gpu, node));
    }
    const bool hosts = request.cpu <= shape(node).cpu && has_room(unlimited, request, node);
    total += one.count * (hosts ? too_small : all);
  }
  return total;
}

std::int64_t NaiveScheduler::fragment() const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < cluster_->nodes.size(); ++i) {
    const model::NodeId node{i};
    if (shape(node).gpus > 0) total += fragment(room(node), node);
  }
  return total;
}

double NaiveScheduler::packing(const Room& room, const DeviceChoice& devices,
                               model::NodeId node) const {
  const auto count = static_cast<int>(room.gpus.size());
  const auto is_idle = [](const Gpu& one) { return !one.mig && one.free == 1000; };
  if (std::all_of(room.gpus.begin(), room.gpus.end(), is_idle)) {
    return std::max(33 - count, count);
  }
  int idle_taken = 0;
  double free_taken = 0;
  for (std::size_t i = 0; i < room.gpus.size(); ++i) {
    if ((devices.mask >> i & 1) == 0) continue;
    if (is_idle(room.gpus[i])) ++idle_taken;
    free_taken += idle(room.gpus[i], node);
  }
  if (idle_taken > 0) return std::max(50 - idle_taken, 33);
  return std::max(100.0 - std::floor(std::floor(free_taken / 10) / 10), 50.0);
}

double NaiveScheduler::clustering(const Room& room, int own, double base) {
  const auto others =
      std::count_if(room.sizes.begin(), room.sizes.end(), [&](int size) { return size != own; });
  const auto same = static_cast<std::ptrdiff_t>(room.sizes.size()) - others;
  if (same > 0) return base + (others == 0 ? 75 : 50);
  return others == 0 ? base + 25 : base;
}

std::int64_t NaiveScheduler::worth(const Room& room, model::NodeId node) const {
  if (room.gpus.empty()) return 0;
  const schedule::NodeWorth& prices = learned_->node_worth();
  const model::GpuModelId id = shape(node).gpu_model;
  std::int64_t worth = 0;
  int idle_gpus = 0;
  for (const Gpu& gpu : room.gpus) {
    const auto used = static_cast<std::uint8_t>(gpu.used);
    worth += gpu.mig && used != 0 ? prices.layout(mig_[id.index()], used) : prices.share(gpu.free);
    idle_gpus += used == 0 && gpu.free == 1000 ? 1 : 0;
  }
  const auto free = static_cast<std::int64_t>(idle(room, node));
  return worth + prices.whole(id, idle_gpus) - prices.cpu_lacking(base::CpuMilli{room.cpu}, free);
}

double NaiveScheduler::score(const Room& room, const model::Request& request,
                             const DeviceChoice& devices, model::NodeId node) const {
  double largest_cpu = 1;
  double largest_gpu = 1;
  for (const model::NodeShape& one : cluster_->shapes) {
    largest_cpu = std::max(largest_cpu, static_cast<double>(one.cpu.value()));
    largest_gpu = std::max(largest_gpu, 1000.0 * one.gpus);
  }
  Room after = room;
  take(after, request, devices, node);
  const auto cpu = static_cast<double>(room.cpu);
  const auto cpu_after = static_cast<double>(after.cpu);
  const double gpu = idle(room, node);
  const double gpu_after = idle(after, node);
  const bool no_gpu = request.gpu.kind == GpuRequest::Kind::kNone;
  const double asked_cpu = cpu - cpu_after;
  const double asked_gpu = gpu - gpu_after;
  const auto down = [](double x) { return std::floor(x + 1e-9); };

  if (placement_ == "best_fit") {
    return down(100 - 50 * (cpu_after / largest_cpu + gpu_after / largest_gpu));
  }
  if (placement_ == "dot_product") {
    const double product = cpu / largest_cpu * (asked_cpu / largest_cpu) +
                           gpu / largest_gpu * (asked_gpu / largest_gpu);
    return std::trunc(100.0 * (1.0 - 0.5 * product));
  }
  if (placement_ == "packing") return no_gpu ? 0 : packing(room, devices, node);
  if (placement_ == "clustering") {
    const double base = down(25 * (largest_gpu - gpu) / largest_gpu);
    return no_gpu ? 0 : clustering(room, after.sizes.back(), base);
  }
  if (placement_ == "spread") {
    const auto all_cpu = static_cast<double>(std::max<std::int64_t>(shape(node).cpu.value(), 1));
    const double cpu_part = down(5000 * cpu_after / all_cpu);
    const auto all_gpu = 1000.0 * static_cast<double>(room.gpus.size());
    return all_gpu == 0 ? cpu_part : cpu_part + down(5000 * gpu_after / all_gpu);
  }
  if (learned_) return static_cast<double>(worth(after, node) - worth(room, node));
  // fgd
  std::int64_t weight = 0;
  for (const schedule::TaskClass& one : classes_) weight += one.count;
  const std::int64_t fall = fragment(room, node) - fragment(after, node);
  const double x = static_cast<double>(fall) / static_cast<double>(weight) / 1000.0;
  return down(100.0 / (1.0 + std::exp(-x)));
}

NaiveScheduler::Option NaiveScheduler::best_option(const Room& room, const model::Request& request,
                                                   model::NodeId node) const {
  if (placement_ == "fgd" || learned_) {
    Option best{-1e300, {}};
    for (const DeviceChoice& one : options(room, request, node)) {
      const double value = score(room, request, one, node);
      if (value > best.score) best = {value, one};
    }
    return best;
  }
  const DeviceChoice devices = tightest(room, request, node, placement_ == "spread");
  return {score(room, request, devices, node), devices};
}

std::optional<schedule::Choice> NaiveScheduler::choose(const model::Request& request,
                                                       base::Rng& rng) const {
  std::optional<schedule::Choice> best;
  double best_score = 0;
  std::vector<model::NodeId> feasible;
  for (const model::NodeId node : order_) {
    const Room now = room(node);
    if (!fits(now, request, node)) continue;
    feasible.push_back(node);
    if (placement_ == "random") continue;
    const Option option = best_option(now, request, node);
    if (!best || option.score > best_score) {
      best = schedule::Choice{node, option.devices};
      best_score = option.score;
    }
  }
  if (placement_ != "random" || feasible.empty()) return best;
  const model::NodeId node = feasible[rng.below(feasible.size())];
  const std::vector<DeviceChoice> all = options(room(node), request, node);
  const bool part =
      request.gpu.kind == GpuRequest::Kind::kMig ||
      (request.gpu.kind != GpuRequest::Kind::kNone && share_asked(request, node) < 1000);
  return schedule::Choice{node, part ? all[rng.below(all.size())] : all.front()};
}

}  // namespace headroom::tests

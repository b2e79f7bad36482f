#include "tests/simtest/rooms.h"

#include <algorithm>

namespace headroom::simtest {

namespace {

using Kind = model::GpuRequest::Kind;

unsigned slices_of(const model::MigProfile& profile, int start) {
  return ((1u << profile.size) - 1u) << start;
}

bool wants_media(const std::string& profile) { return profile.ends_with("+me"); }

// A legal start for the instance on this GPU, or -1.
int free_start(const Gpu& gpu, const model::MigProfile& profile) {
  if (gpu.shared > 0 || (gpu.media && wants_media(profile.name))) return -1;
  for (int start = 0; start < 16; ++start) {
    const bool legal = (profile.starts >> start & 1) != 0;
    if (legal && (gpu.slices & slices_of(profile, start)) == 0) return start;
  }
  return -1;
}

}  // namespace

Rooms::Rooms(const model::Cluster& cluster) : cluster_(&cluster), rooms_(cluster.nodes.size()) {
  for (std::size_t i = 0; i < rooms_.size(); ++i) {
    rooms_[i] = empty_room(cluster.shape(model::NodeId{i}));
  }
}

Room Rooms::empty_room(const model::NodeShape& shape) {
  Room room;
  room.cpu = shape.cpu.value();
  room.memory = shape.memory.value();
  return room;
}

void Rooms::replace_cluster(const model::Cluster& cluster, model::NodeId changed) {
  cluster_ = &cluster;
  rooms_.resize(cluster.nodes.size());
  rooms_[changed.index()] = empty_room(cluster.shape(changed));
}

std::string Rooms::take(const model::Request& request, const model::TaskPlacement& task) {
  if (!task.node.valid() || task.node.index() >= rooms_.size()) return "there is no such node";
  const model::NodeShape& shape = cluster_->shape(task.node);
  if (!suits(request, shape, *cluster_)) return "the node does not suit the request";
  Room& room = rooms_[task.node.index()];
  if (room.exclusive) return "another task has the node for itself";
  if (request.exclusive && room.tasks > 0) return "it wants the node for itself, which is in use";
  room.cpu -= request.cpu.value();
  room.memory -= request.memory.value();
  ++room.tasks;
  room.exclusive = request.exclusive;
  if (room.cpu < 0) return "the node has too few cores free";
  if (room.memory < 0) return "the node has too little memory free";
  return take_gpus(request, task);
}

std::string Rooms::take_gpus(const model::Request& request, const model::TaskPlacement& task) {
  const model::NodeShape& shape = cluster_->shape(task.node);
  Room& room = rooms_[task.node.index()];
  if (static_cast<std::int64_t>(task.devices.size()) != gpus_of(request))
    return "wrong number of GPUs";
  const std::int64_t share = share_of(request, shape, *cluster_);
  unsigned seen = 0;
  for (const model::DeviceUse& use : task.devices) {
    if (use.gpu < 0 || use.gpu >= shape.gpus || (seen >> use.gpu & 1) != 0) return "no such GPU";
    seen |= 1u << use.gpu;
    if (use.share.value() != share) return "not the share of a GPU that was asked";
    Gpu& gpu = room.gpus[static_cast<std::size_t>(use.gpu)];
    if (request.gpu.kind == Kind::kMig) {
      const model::MigProfile* profile =
          cluster_->gpu_models[shape.gpu_model.index()].profile(use.mig_profile);
      if (profile == nullptr || profile->name != request.gpu.profile) return "not its MIG profile";
      if ((profile->starts >> use.mig_start & 1) == 0) return "no instance may start at that slot";
      if (gpu.shared > 0) return "the GPU is shared, not cut";
      if ((gpu.slices & slices_of(*profile, use.mig_start)) != 0) return "MIG slots overlap";
      if (gpu.media && wants_media(profile->name)) return "the media engines are taken";
      gpu.slices |= slices_of(*profile, use.mig_start);
      gpu.media = gpu.media || wants_media(profile->name);
    } else {
      if (gpu.slices != 0) return "the GPU is cut into MIG instances";
      gpu.shared += static_cast<int>(share);
      if (gpu.shared > 1000) return "more than the GPU has";
    }
  }
  return {};
}

void Rooms::give_back(const model::Request& request, const model::TaskPlacement& task) {
  Room& room = rooms_[task.node.index()];
  const model::NodeShape& shape = cluster_->shape(task.node);
  room.cpu += request.cpu.value();
  room.memory += request.memory.value();
  --room.tasks;
  room.exclusive = false;
  for (const model::DeviceUse& use : task.devices) {
    Gpu& gpu = room.gpus[static_cast<std::size_t>(use.gpu)];
    if (request.gpu.kind == Kind::kMig) {
      const auto& model = cluster_->gpu_models[shape.gpu_model.index()];
      gpu.slices &= ~slices_of(*model.profile(use.mig_profile), use.mig_start);
      if (wants_media(use.mig_profile)) gpu.media = false;
    } else {
      gpu.shared -= static_cast<int>(share_of(request, shape, *cluster_));
    }
  }
}

bool suits(const model::Request& request, const model::NodeShape& shape,
           const model::Cluster& cluster) {
  if (request.cpu > shape.cpu || request.memory > shape.memory) return false;
  for (const model::Label& label : request.labels) {
    if (std::find(shape.labels.begin(), shape.labels.end(), label) == shape.labels.end()) {
      return false;
    }
  }
  if (request.gpu.kind == Kind::kNone) return true;
  if (shape.gpus == 0 || gpus_of(request) > shape.gpus) return false;
  const model::GpuModel& gpu = cluster.gpu_models[shape.gpu_model.index()];
  const auto& models = request.gpu_models;
  if (!models.empty() && std::find(models.begin(), models.end(), gpu.name) == models.end()) {
    return false;
  }
  if (gpu.memory < request.min_gpu_memory) return false;
  if (request.gpu.kind == Kind::kMig) {
    return shape.mig && gpu.profile(request.gpu.profile) != nullptr;
  }
  return share_of(request, shape, cluster) <= 1000;
}

std::int64_t share_of(const model::Request& request, const model::NodeShape& shape,
                      const model::Cluster& cluster) {
  switch (request.gpu.kind) {
    case Kind::kNone:
      return 0;
    case Kind::kWhole:
      return 1000;
    case Kind::kShare:
      return request.gpu.share.value();
    case Kind::kMemory: {
      const std::int64_t all = cluster.gpu_models[shape.gpu_model.index()].memory.value();
      const std::int64_t asked = 1000 * request.gpu.memory.value();
      return asked / all + (asked % all == 0 ? 0 : 1);
    }
    case Kind::kMig: {
      const model::GpuModel& gpu = cluster.gpu_models[shape.gpu_model.index()];
      const model::MigProfile* profile = gpu.profile(request.gpu.profile);
      return profile == nullptr ? 0 : 1000 * profile->size / gpu.mig_slices;
    }
  }
  return 0;
}

std::int64_t gpus_of(const model::Request& request) {
  if (request.gpu.kind == Kind::kNone) return 0;
  return request.gpu.kind == Kind::kWhole ? request.gpu.count : 1;
}

std::int64_t count_that_fit(Room room, const model::Request& request, const model::NodeShape& shape,
                            const model::Cluster& cluster, std::int64_t most) {
  if (!suits(request, shape, cluster) || room.exclusive) return 0;
  if (request.exclusive) most = std::min<std::int64_t>(most, room.tasks > 0 ? 0 : 1);
  const std::int64_t cpu = request.cpu.value();
  const std::int64_t memory = request.memory.value();
  if (cpu > 0) most = std::min(most, room.cpu / cpu);
  if (memory > 0) most = std::min(most, room.memory / memory);
  if (request.gpu.kind == Kind::kNone) return most;
  const std::int64_t share = share_of(request, shape, cluster);
  std::int64_t count = 0;
  std::int64_t idle = 0;
  for (int i = 0; i < shape.gpus; ++i) {
    Gpu& gpu = room.gpus[static_cast<std::size_t>(i)];
    if (gpu.idle()) ++idle;
    if (request.gpu.kind == Kind::kMig) {
      const model::MigProfile* profile =
          cluster.gpu_models[shape.gpu_model.index()].profile(request.gpu.profile);
      for (int at = free_start(gpu, *profile); at >= 0; at = free_start(gpu, *profile)) {
        gpu.slices |= slices_of(*profile, at);
        gpu.media = gpu.media || wants_media(profile->name);
        ++count;
      }
    } else if (request.gpu.kind != Kind::kWhole && gpu.slices == 0) {
      count += (1000 - gpu.shared) / share;
    }
  }
  if (request.gpu.kind == Kind::kWhole) count = idle / request.gpu.count;
  return std::min(most, count);
}

}  // namespace headroom::simtest

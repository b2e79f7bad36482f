// Records of nodes: they come and go, fail with the tasks on them, and come back.
#include <fmt/format.h>

#include "store/projection_writer.h"

namespace headroom::store {

// A node that was removed keeps its slot, without hardware.
void Projection::Writer::load_nodes() {
  nodes_.clear();
  gpu_models_.clear();
  Statement models(db_, "SELECT name FROM gpu_models ORDER BY id");
  for (bool row = models.first(); row; row = models.next())
    gpu_models_.emplace_back(models.text(0));
  Statement rows(db_, "SELECT node, name, gpu_model, gpus, cpus FROM nodes ORDER BY node, since");
  for (bool row = rows.first(); row; row = rows.next()) {
    const auto index = static_cast<std::size_t>(rows.integer(0));
    if (nodes_.size() <= index) nodes_.resize(index + 1);
    nodes_[index] = {std::string(rows.text(1)), std::string(rows.text(2)), rows.integer(3),
                     rows.integer(4)};
  }
}

void Projection::Writer::set_cluster(const model::Cluster& cluster, base::Time time) {
  now_ = time;
  sequence_ = 0;
  Statement add(db_, "INSERT INTO gpu_models VALUES (?, ?)");
  for (const model::GpuModel& one : cluster.gpu_models) {
    add.run(gpu_models_.size(), one.name);
    gpu_models_.push_back(one.name);
  }
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    nodes_.push_back(describe(cluster.nodes[i].name, cluster.shape(model::NodeId{i})));
    open_node(model::NodeId{i}, false);
  }
}

NodeNow& Projection::Writer::node(model::NodeId id) {
  if (id.index() < nodes_.size()) return nodes_[id.index()];
  db_.fail(fmt::format("record {}: node {} is not known: the first snapshot comes with its cluster",
                       sequence_, id.index()));
  return no_node_;
}

NodeNow Projection::Writer::describe(const std::string& name, const model::NodeShape& shape) {
  NodeNow made{.name = name, .gpus = std::int64_t{shape.gpus} * 1000, .cpus = shape.cpu.value()};
  if (!shape.gpu_model.valid() || shape.gpus == 0) return made;
  if (shape.gpu_model.index() < gpu_models_.size()) {
    made.gpu_model = gpu_models_[shape.gpu_model.index()];
  } else {
    db_.fail(fmt::format("record {}: node {}: a GPU model that is not known", sequence_, name));
  }
  return made;
}

void Projection::Writer::open_node(model::NodeId id, bool failed) {
  const NodeNow& now = node(id);
  to_.insert_node.run(std::int64_t{id.index()}, now_, now.name, now.gpu_model, now.gpus, now.cpus,
                      failed, kOpen, sequence_);
}

void Projection::Writer::close_node(model::NodeId id) {
  to_.close_node.run(now_, sequence_, std::int64_t{id.index()}, kOpen);
  to_.forget_empty_node.run(std::int64_t{id.index()}, now_);
}

void Projection::Writer::operator()(const model::NodeAdded& event) {
  nodes_.push_back(describe(event.name, event.shape));
  open_node(model::NodeId{nodes_.size() - 1}, false);
}

void Projection::Writer::operator()(const model::NodeChanged& event) {
  NodeNow& now = node(event.node);
  now = describe(now.name, event.shape);
  Statement open(db_, "SELECT failed FROM nodes WHERE node = ? AND until = ?");
  const bool failed = open.first(std::int64_t{event.node.index()}, kOpen) && open.integer(0) != 0;
  open.reset();
  close_node(event.node);
  open_node(event.node, failed);
}

void Projection::Writer::operator()(const model::NodeRemoved& event) { close_node(event.node); }

void Projection::Writer::operator()(const model::NodeFailed& event) {
  close_node(event.node);
  open_node(event.node, true);
  lose_tasks(event.node, 0);
}

void Projection::Writer::operator()(const model::NodeRecovered& event) {
  close_node(event.node);
  open_node(event.node, false);
}

void Projection::Writer::operator()(const model::RepartitionFailed& event) {
  lose_tasks(event.layout.node, 1U << static_cast<unsigned>(event.layout.gpu));
}

// A bit for each GPU; 0: all tasks of the node.
void Projection::Writer::lose_tasks(model::NodeId id, std::uint32_t mask) {
  struct Lost {
    model::AllocationId of;
    std::int64_t group, task;
  };
  std::vector<Lost> lost;
  for (bool row = to_.held_on.first(std::int64_t{id.index()}, mask); row;
       row = to_.held_on.next()) {
    lost.push_back({{{to_.held_on.integer(0), to_.held_on.integer(1)}, to_.held_on.integer(2)},
                    to_.held_on.integer(3),
                    to_.held_on.integer(4)});
  }
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const model::AllocationId& of = lost[i].of;
    to_.drop_task.run(of.job.number, of.job.element, lost[i].group, lost[i].task);
    if (i + 1 < lost.size() && lost[i + 1].of == of) continue;
    measure(of);
    note(of.job, What::kTasksLost, of.attempt, node(id).name);
  }
}

}  // namespace headroom::store

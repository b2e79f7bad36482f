#include "tests/simtest/journal.h"

#include <fmt/format.h>

#include <cstdio>

#include "tests/simtest/book.h"

namespace headroom::simtest {

namespace {

std::string text(const model::Placement& placement) {
  std::string all;
  for (const model::TaskPlacement& task : placement) {
    all += fmt::format(" {}.{}@{}", task.group, task.task, task.node.index());
    for (const model::DeviceUse& use : task.devices) {
      all += fmt::format("/{}:{}", use.gpu,
                         use.mig_profile.empty()
                             ? fmt::format("{}", use.share.value())
                             : fmt::format("{}+{}", use.mig_profile, use.mig_start));
    }
  }
  return all;
}

std::string text(const model::Job& job) {
  std::string all =
      fmt::format("queue {} user {} priority {} time {}m gang {} firm {}", job.queue, job.user,
                  job.priority, job.time.value() / 60'000, job.gang, !job.is_preemptible());
  for (const model::TaskGroup& group : job.groups) {
    const model::Request& ask = group.request;
    all += fmt::format(" [{} x cpu {} mem {} gpu kind {} count {} share {} bytes {} {}{}{}]",
                       group.tasks, ask.cpu.value(), ask.memory.value() >> 30,
                       static_cast<int>(ask.gpu.kind), ask.gpu.count, ask.gpu.share.value(),
                       ask.gpu.memory.value(), ask.gpu.profile, ask.exclusive ? " exclusive" : "",
                       ask.labels.empty() ? "" : " zone");
  }
  if (job.topology) {
    const auto level = [](const auto& one) { return one ? static_cast<int>(*one) : -1; };
    all += fmt::format(" required {} preferred {} segment {}", level(job.topology->required),
                       level(job.topology->preferred), job.topology->segment);
  }
  if (job.array)
    all +=
        fmt::format(" array {}-{}%{}", job.array->first, job.array->last, job.array->most_running);
  if (job.elastic) all += fmt::format(" elastic {}-{}", job.elastic->min, job.elastic->max);
  for (const auto& one : job.after)
    all += fmt::format(" after({}) {}", static_cast<int>(one.kind), one.job);
  return all + (job.hold ? " hold" : "");
}

std::string text(const model::Queue& queue) {
  std::string all = fmt::format("queue {} weight {} priority {} user gpus {} running {} waiting {}",
                                queue.name, queue.weight, queue.priority, queue.user_limits.gpus,
                                queue.user_limits.running, queue.user_limits.waiting);
  for (const auto& one : queue.guarantee) {
    all += fmt::format(" guarantee {} {}", one.pool, one.amount);
  }
  for (const auto& one : queue.cells) {
    all += fmt::format(" cells {} level {} {}", one.pool, static_cast<int>(one.level), one.count);
  }
  for (const auto& one : queue.limit) all += fmt::format(" limit {} {}", one.pool, one.amount);
  return all + (queue.cooperative_sharing ? " cooperative" : "");
}

struct Text {
  std::string operator()(const model::JobSubmitted& e) const {
    return fmt::format("submitted {} planned {}m {}", name_of(e.id), e.planned.value() / 60'000,
                       text(e.job));
  }
  std::string operator()(const model::JobCancelled& e) const {
    return "cancelled " + name_of(e.id);
  }
  std::string operator()(const model::JobChanged& e) const {
    return "changed " + name_of(e.id) + " " + text(e.job);
  }
  std::string operator()(const model::JobHeld& e) const {
    return (e.held ? "held " : "released ") + name_of(e.id);
  }
  std::string operator()(const model::AllocationEnded& e) const {
    return fmt::format("ended {} attempt {} outcome {}", name_of(e.id.job), e.id.attempt,
                       static_cast<int>(e.outcome));
  }
  std::string operator()(const model::TaskEnded& e) const {
    return fmt::format("task {}.{} of {} ended", e.group, e.task, name_of(e.id.job));
  }
  std::string operator()(const model::AllocationLost& e) const {
    return "lost " + name_of(e.id.job);
  }
  std::string operator()(const model::NodeDrained& e) const {
    return fmt::format("node {} drained {}", e.node.index(), e.drained);
  }
  std::string operator()(const model::NodeFailed& e) const {
    return fmt::format("node {} failed", e.node.index());
  }
  std::string operator()(const model::NodeRecovered& e) const {
    return fmt::format("node {} is back", e.node.index());
  }
  std::string operator()(const model::ReservationChanged& e) const {
    std::string nodes;
    for (const model::NodeId node : e.nodes) nodes += fmt::format(" {}", node.index());
    return fmt::format("{} {}m-{}m maintenance {} queue {} removed {} nodes{}", e.window.name,
                       e.window.start.value() / 60'000, e.window.end.value() / 60'000,
                       e.maintenance, e.window.queue, e.removed, nodes);
  }
  std::string operator()(const model::NodeAdded& e) const {
    return fmt::format("node {} added: {} {} gpus", e.name, e.shape.pool, e.shape.gpus);
  }
  std::string operator()(const model::NodeChanged& e) const {
    return fmt::format("node {} changed: {} {} gpus", e.node.index(), e.shape.pool, e.shape.gpus);
  }
  std::string operator()(const model::NodeRemoved& e) const {
    return fmt::format("node {} removed", e.node.index());
  }
  std::string operator()(const model::QueueChanged& e) const {
    return (e.removed ? "removed " : "changed ") + text(e.queue);
  }
  std::string operator()(const model::RepartitionConfirmed& e) const {
    return fmt::format("gpu {} of node {} was cut", e.layout.gpu, e.layout.node.index());
  }
  std::string operator()(const model::RepartitionFailed& e) const {
    return fmt::format("gpu {} of node {} could not be cut", e.layout.gpu, e.layout.node.index());
  }
  std::string operator()(const model::StartJob& d) const {
    return fmt::format("  start {} attempt {}{}", name_of(d.id.job), d.id.attempt,
                       text(d.placement));
  }
  std::string operator()(const model::StopJob& d) const {
    return fmt::format("  stop {} reason {}", name_of(d.id.job), static_cast<int>(d.reason));
  }
  std::string operator()(const model::ReserveFor& d) const {
    return fmt::format("  reserve {} from {:.2f}m slipped {}{}", name_of(d.job),
                       static_cast<double>(d.start.value()) / 60'000, d.slipped, text(d.placement));
  }
  std::string operator()(const model::RejectJob& d) const {
    return fmt::format("  reject {} reason {}", name_of(d.job), static_cast<int>(d.reason));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return "-";
  }
};

}  // namespace

void print(const model::Record& record) {
  const std::string what =
      std::visit([](const auto& half) { return std::visit(Text{}, half); }, record.what);
  fmt::print("{:9.2f}m {}\n", static_cast<double>(record.time.value()) / 60'000, what);
}

void print(const Site& site) {
  for (std::size_t i = 0; i < site.cluster->nodes.size(); ++i) {
    const model::NodeShape& shape = site.cluster->shape(model::NodeId{i});
    fmt::print("node {}: {} gpus {} cpu {} mem {}{}; domains", i, shape.pool, shape.gpus,
               shape.cpu.value(), shape.memory.value() >> 30, shape.labels.empty() ? "" : " zone");
    for (const auto& of : site.cluster->fabric.domain_of) {
      fmt::print(" {}", of[i].valid() ? std::to_string(of[i].index()) : "-");
    }
    fmt::print("\n");
  }
  for (const model::Queue& queue : site.queues) fmt::print("{}\n", text(queue));
  fmt::print("reservations {} max slips {} horizon {}m\n", site.settings.reservations,
             site.settings.max_slips, site.settings.horizon.value() / 60'000);
}

}  // namespace headroom::simtest

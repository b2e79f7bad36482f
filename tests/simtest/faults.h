// Faults: what disturbs a life on purpose: nodes that fail and come back, drains, windows, holds,
// cancellations, changed wishes; nodes and queues that come, change and go, GPUs that could not be
// cut; and events that must be refused.
#pragma once

#include "tests/simtest/engine.h"
#include "tests/simtest/wishes.h"

namespace headroom::simtest {

class Faults {
 public:
  Faults(base::Rng& rng, const Book& book, Wishes& wishes, Engine::At at)
      : rng_(rng), book_(book), wishes_(wishes), at_(std::move(at)) {}

  // Plans all of them, up to `until`, at least two; all are over some hours later.
  void plan(base::Time until);
  std::size_t planned() const { return planned_; }

  // An event that `check` must refuse now.
  model::Event refused();

 private:
  // Nodes and queues that come, change and go (faults_site.cc).
  void plan_changes(base::Time until);
  void add_node(base::Time when);
  void serve_node(base::Time when, bool remove);
  void when_idle(model::NodeId node, base::Time when, bool remove);
  void cut_gpu(base::Time when);
  void add_queue(base::Time when, int number);
  void change_queue(base::Time when);
  void remove_queue(base::Time when);
  void change_guarantee(model::Queue& queue);
  model::NodeShape some_shape();
  model::Event refused_change();

  void end_drain(model::NodeId node, base::Time when);
  void fail_node(base::Time when);
  void drain_node(base::Time when);
  void window(base::Time when, int number);
  void hold_job(base::Time when);
  void cancel_job(base::Time when);
  void change_job(base::Time when);
  model::NodeId some_node();
  base::Duration minutes(std::int64_t low, std::int64_t high);
  const BookJob* some_job(const std::function<bool(const BookJob&)>& suitable);

  base::Rng& rng_;
  const Book& book_;
  Wishes& wishes_;
  Engine::At at_;
  std::size_t planned_ = 0;
  std::vector<std::string> gone_;  // names of removed nodes, free again
  int added_ = 0;
};

}  // namespace headroom::simtest

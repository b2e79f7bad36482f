#include "server/site_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/build_cluster.h"
#include "formats/build_windows.h"
#include "formats/catalogue.h"

namespace headroom::server {

namespace {

using base::Result;
using model::Cluster;
using model::NodeId;
using model::NodeShape;
using model::Queue;

class Difference {
 public:
  Difference(const schedule::State& state, const model::Site& site, const Cluster& wanted)
      : state_(state), now_(state.cluster().cluster()), site_(site), wanted_(wanted), ids_(now_) {}

  Result<SiteChange> work_out() {
    if (auto ok = nodes_added_and_changed(); !ok) return tl::unexpected(ok.error());
    windows_removed();
    queues();
    nodes_removed();
    windows_added();
    return std::move(change_);
  }

 private:
  void note(model::Event event, std::string line) {
    change_.events.push_back(std::move(event));
    change_.lines.push_back(std::move(line));
  }

  // A shape of the wanted cluster, with the id that its GPU model has in the one that is there.
  Result<NodeShape> shape_here(const NodeShape& wanted) const {
    NodeShape shape = wanted;
    if (!shape.gpu_model.valid()) return shape;
    const model::GpuModel& gpu = wanted_.gpu_models[shape.gpu_model.index()];
    shape.gpu_model = now_.find_gpu_model(gpu.name);
    const bool other =
        shape.gpu_model.valid() && now_.gpu_models[shape.gpu_model.index()].memory != gpu.memory;
    if (other) return base::fail("GPU model " + gpu.name + ": its memory cannot change");
    return shape;
  }

  Result<void> nodes_added_and_changed() {
    for (const model::Node& node : wanted_.nodes) {
      const auto shape = shape_here(wanted_.shapes[node.shape.index()]);
      if (!shape) return tl::unexpected(shape.error());
      const NodeId id = ids_.find(node.name);
      const std::string what = fmt::format("node {} ({})", node.name, shape->pool);
      if (!id.valid()) {
        note(model::NodeAdded{node.name, *shape}, "+ " + what);
      } else if (!(now_.shape(id) == *shape)) {
        note(model::NodeChanged{id, *shape}, "~ " + what);
      }
    }
    return {};
  }

  void nodes_removed() {
    std::set<std::string_view> names;
    for (const model::Node& node : wanted_.nodes) names.insert(node.name);
    for (std::size_t i = 0; i < now_.nodes.size(); ++i) {
      const std::string& name = now_.nodes[i].name;
      if (name.empty() || names.count(name) > 0) continue;
      note(model::NodeRemoved{NodeId{i}}, "- node " + name);
    }
  }

  static const Queue* find(const std::vector<Queue>& queues, const std::string& name) {
    const auto at = std::find_if(queues.begin(), queues.end(),
                                 [&](const Queue& one) { return one.name == name; });
    return at == queues.end() ? nullptr : &*at;
  }

  static std::string changes_of(const Queue& before, const Queue& after) {
    std::vector<std::string> words;
    const auto compare = [&](bool same, const char* word) {
      if (!same) words.emplace_back(word);
    };
    compare(before.guarantee == after.guarantee, "guarantee");
    compare(before.cells == after.cells, "cells");
    compare(before.limit == after.limit, "limit");
    compare(before.weight == after.weight, "weight");
    compare(before.priority == after.priority, "priority");
    compare(before.min_runtime == after.min_runtime, "min_runtime");
    compare(before.cooperative_sharing == after.cooperative_sharing, "sharing");
    compare(before.user_limits == after.user_limits, "user_limits");
    return fmt::format("{}", fmt::join(words, ", "));
  }

  // Whether the queue promises less than before: that comes first, and makes room for the others.
  static bool gives_back(const Queue& before, const Queue& after) {
    for (const model::PoolAmount& one : before.guarantee) {
      const auto at =
          std::find_if(after.guarantee.begin(), after.guarantee.end(),
                       [&](const model::PoolAmount& other) { return other.pool == one.pool; });
      if (at == after.guarantee.end() || at->amount < one.amount) return true;
    }
    return false;
  }

  void queues() {
    const std::vector<Queue>& before = state_.queues().queues();
    std::vector<Queue> after = site_.queues;
    // By name: parents come before children.
    std::sort(after.begin(), after.end(),
              [](const Queue& a, const Queue& b) { return a.name < b.name; });
    // Children first, for what goes and what gets less.
    for (auto at = before.rbegin(); at != before.rend(); ++at) {
      const Queue* const now = find(after, at->name);
      if (!now) {
        note(model::QueueChanged{.queue = *at, .removed = true}, "- queue " + at->name);
      } else if (!(*now == *at) && gives_back(*at, *now)) {
        change(*at, *now);
      }
    }
    for (const Queue& one : after) {
      const Queue* const old = find(before, one.name);
      if (!old) {
        note(model::QueueChanged{.queue = one}, "+ queue " + one.name);
      } else if (!(one == *old) && !gives_back(*old, one)) {
        change(*old, one);
      }
    }
  }

  void change(const Queue& before, const Queue& after) {
    note(model::QueueChanged{.queue = after},
         fmt::format("~ queue {}: {}", after.name, changes_of(before, after)));
  }

  // A reservation that differs in anything goes and comes anew.
  bool stays(const schedule::Window& window, const model::ReservationChanged& wanted) const {
    const std::string queue =
        window.queue.valid() ? state_.queues()[window.queue].name : std::string();
    return window.name == wanted.window.name && window.start == wanted.window.start &&
           window.end == wanted.window.end && window.nodes == wanted.nodes &&
           queue == (wanted.maintenance ? std::string() : wanted.window.queue);
  }

  std::vector<model::ReservationChanged> wanted_windows() const {
    return formats::build_windows(site_, ids_);
  }

  void windows_removed() {
    const auto wanted = wanted_windows();
    for (const schedule::Window& window : state_.windows()) {
      const bool kept = std::any_of(wanted.begin(), wanted.end(),
                                    [&](const auto& one) { return stays(window, one); });
      if (kept) continue;
      note(model::ReservationChanged{.window = {.name = window.name},
                                     .nodes = {},
                                     .maintenance = !window.queue.valid(),
                                     .removed = true},
           "- reservation " + window.name);
    }
  }

  // Those on nodes that are added here get them once they are there: ids go on from those given.
  void windows_added() {
    Cluster after = now_;
    for (const model::Event& event : change_.events) {
      const auto* const added = std::get_if<model::NodeAdded>(&event);
      if (added) after.nodes.push_back({.name = added->name, .shape = model::ShapeId{0}});
    }
    for (model::ReservationChanged& one : formats::build_windows(site_, formats::NodeIds(after))) {
      const bool there =
          std::any_of(state_.windows().begin(), state_.windows().end(),
                      [&](const schedule::Window& window) { return stays(window, one); });
      if (there || one.window.end <= state_.now()) continue;
      const std::string name = one.window.name;
      note(std::move(one), "+ reservation " + name);
    }
  }

  const schedule::State& state_;
  const Cluster& now_;
  const model::Site& site_;
  const Cluster& wanted_;
  const formats::NodeIds ids_;
  SiteChange change_;
};

}  // namespace

Result<SiteChange> change_to(const schedule::State& state, const model::Site& site) {
  const auto wanted = formats::build_cluster(site, formats::built_in_catalogue());
  if (!wanted) return tl::unexpected(wanted.error());
  return Difference(state, site, *wanted).work_out();
}

}  // namespace headroom::server

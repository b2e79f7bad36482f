// Placer: filter -> score -> pick for one state and one placement. This is where it is decided on
// which node a task is placed.
//
// For every distinct request it keeps the scores of all nodes (ScoreIndex). A decision first brings
// that request's scores up to date, for the nodes that changed since the request was last asked for
// and no others, and then reads off the best. So its cost follows the changes between two equal
// requests, not the number of nodes, and nodes that did not change keep their cached score. Why
// an index a request and not classes of equal nodes: docs/decisions/0002-score-index.md.
//
// The placer must not outlive the state it was made for, and looks only at that one.
//
//   choose   O(changed nodes since the request's last turn) + O(log nodes); the first time O(nodes)
//   memory   about 4.5 bytes for a node and request, bounded by kMaxScores (then the request that
//            was not asked for longest is forgotten; it costs time, never a different answer)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "schedule/cluster_state.h"
#include "schedule/placement.h"
#include "schedule/score_index.h"

namespace headroom::schedule {

struct Choice {
  model::NodeId node;
  DeviceChoice devices;

  friend bool operator==(const Choice&, const Choice&) = default;
};

class Placer {
 public:
  static constexpr std::size_t kMaxScores = std::size_t{64} << 20;  // 256 MiB of scores

  // `order`: all nodes, the one that wins ties first. Empty: by node id.
  Placer(const ClusterState& state, std::unique_ptr<Placement> placement,
         std::vector<model::NodeId> order = {});

  // Where a task with this request goes now, or nothing when it fits nowhere. Does not place it.
  // `rng` is drawn from by random placements only.
  std::optional<Choice> choose(RequestId request, base::Rng& rng);

  // The state's cluster is another: nodes were appended (last in order) or have another shape.
  void cluster_changed();

  // A task with this request arrived; tells the placement.
  void arrived(RequestId request) { placement_->arrived(state_, request); }

  const Placement& placement() const { return *placement_; }

  // Scores computed since the start: the work done, for benchmarks.
  std::uint64_t scored() const { return scored_; }
  std::size_t bytes() const;

 private:
  struct Scores {
    ScoreIndex index;
    std::uint64_t changes = 0;  // of the state, when last brought up to date
    std::uint64_t epoch = 0;
    std::uint64_t turn = 0;  // when last asked for
  };

  void number_positions();
  Scores& up_to_date(RequestId request);
  void score_all(RequestId request, ScoreIndex& index);
  void score_changed(RequestId request, Scores& scores);
  Score score(const std::vector<Demand>& demands, RequestId request, model::NodeId node);
  Candidate candidate(RequestId request, model::NodeId node) const;
  void forget_oldest();

  const ClusterState& state_;
  std::unique_ptr<Placement> placement_;
  bool uniform_;
  std::vector<model::NodeId> order_;             // by position
  std::vector<std::uint32_t> position_;          // by node
  std::vector<std::unique_ptr<Scores>> scores_;  // by request; nullptr: not kept
  std::size_t kept_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t scored_ = 0;
};

}  // namespace headroom::schedule

// Cells: guarantees of whole domains (model::CellGuarantee), which must survive fragmentation.
//
// Domain   one of the level that lies in the pool, has as many nodes as the largest such one, and
//          no failed node. It is free when no job that cannot be preempted holds anything there;
//          else it is used by the lowest queue that has all those jobs in its subtree, and counts
//          for that queue and all above it.
// Need     of a queue: its cells less the domains that it uses, or what its children need, if that
//          is more. Of a layer (pool and level): that of the queues at the top.
// Rule     a job that cannot be preempted may start only if the free domains of each layer still
//          cover the need. Where they do not even before (failed nodes), it must not add to the
//          shortage: a queue may always use its own cells.
// Levels   nest, and higher ones come first. Each rack that is needed takes as many lower domains
//          as it can hold off the free ones, and what lies in a domain that a queue uses as its
//          cell is not free for others: rather too strict than too lax.
//
// Of pools with GPUs. Preemptible jobs never count: they can be stopped.
// Cost: O(nodes) for each question; nothing when no queue has cells.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/placement.h"
#include "schedule/state.h"

namespace headroom::schedule {

class Cells {
 public:
  // As things stand in the state, or if nothing ran and every node was healthy. Starts of the cycle
  // are told with started().
  enum class When : std::uint8_t { kNow, kEmpty };
  explicit Cells(const State& state, When when = When::kNow);

  bool any() const { return !layers_.empty(); }

  // Whose cells a job of `queue` that cannot be preempted would take by starting there; none():
  // nobody's.
  QueueId taken_from(QueueId queue, const model::Placement& placed) const;

  // By node: true where no such job may start. As many of the free domains as it may open stay
  // open, those with the lowest ids. A guide for another try: taken_from has the last word.
  std::vector<bool> closed_to(QueueId queue) const;

  // A job that cannot be preempted starts.
  void started(QueueId queue, const model::Placement& placed);

 private:
  // Who holds something that cannot be taken back.
  struct Holder {
    bool held = false;
    QueueId queue;  // the lowest queue above all of them; none(): there is no such queue
  };
  struct Layer {
    PoolId pool;
    model::Level level;
    std::vector<std::vector<model::NodeId>> domains;  // of equal size, healthy
    std::int64_t nodes = 0;                           // of a domain
    std::vector<std::int64_t> cells;                  // by queue
  };
  // How a layer stands.
  struct Tally {
    std::vector<std::int64_t> used;  // domains, by queue
    std::vector<std::size_t> free;   // domains, ascending
    std::int64_t left = 0;           // free ones that higher levels do not need
    std::int64_t need = 0;
    std::int64_t shortage() const { return need == 0 ? 0 : need - left; }
  };

  void add_layer(PoolId pool, model::Level level, When when);
  Holder joined(Holder holder, QueueId queue) const;
  Holder holder_of(const std::vector<model::NodeId>& domain,
                   const std::vector<Holder>& holders) const;
  bool has_cells(const Layer& layer, QueueId from, QueueId below) const;
  std::int64_t need(const Layer& layer, const std::vector<std::int64_t>& used) const;
  std::vector<Tally> tally(const std::vector<Holder>& holders) const;
  void take_off_higher(std::vector<Tally>& tallies) const;
  QueueId lacks_cells(const Layer& layer, const Tally& tally, QueueId taker) const;
  std::int64_t may_open(const Layer& layer, const Tally& tally, QueueId queue) const;
  void hold(std::vector<Holder>& holders, QueueId queue, const model::Placement& placed) const;

  const State& state_;
  std::vector<Layer> layers_;    // those with cells: by pool, higher levels first
  std::vector<Holder> holders_;  // by node
};

// The cells of a level that a pool has, all nodes healthy.
struct CellSize {
  std::int64_t domains = 0;
  std::int64_t gpu_milli = 0;  // of one
};
CellSize cell_size(const model::Cluster& cluster, const std::string& pool, model::Level level);

// The tree with what its cells are in GPUs as the guarantees of their queues.
std::shared_ptr<const QueueTree> with_cell_promises(const std::shared_ptr<const QueueTree>& tree,
                                                    const model::Cluster& cluster);

}  // namespace headroom::schedule

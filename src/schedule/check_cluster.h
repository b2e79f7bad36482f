// check, of events that change the nodes or the queues. A refusal says what is wrong and what is
// allowed.
//
// Nodes    A name is given once at a time. Hardware is that of a pool and a GPU model that the
// state
//          knows: pools and models come with a restart. Nothing may run on a node that is removed
//          or gets another shape.
// Queues   As in cluster.yaml: the parent is there, a level promises no more than the one above it
//          or the pool has, and jobs are in leaves only. A promise may always be lowered, also when
//          nodes are gone and the rest is overcommitted.
//
//   nodes    O(nodes)
//   queues   O(queues + jobs)
#pragma once

#include "base/result.h"
#include "schedule/state.h"

namespace headroom::schedule {

base::Result<void> check_node(const State& state, model::NodeId node);

base::Result<void> check_cluster(const State& state, const model::NodeAdded& event);
base::Result<void> check_cluster(const State& state, const model::NodeChanged& event);
base::Result<void> check_cluster(const State& state, const model::NodeRemoved& event);
base::Result<void> check_cluster(const State& state, const model::QueueChanged& event);
base::Result<void> check_cluster(const State& state, const model::RepartitionConfirmed& event);
base::Result<void> check_cluster(const State& state, const model::RepartitionFailed& event);

}  // namespace headroom::schedule

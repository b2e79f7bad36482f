#include "schedule/planner.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

constexpr base::Duration kSoon{600'000};  // ten minutes: a plan is not changed for less

// Index of the first of `ends`, from `first` on, at which `fits` holds, taking it that it goes on
// to hold; ends.size() if there is none. Doubling steps, then halving them.
template <class Fits>
std::size_t earliest(std::span<const base::Time> ends, std::size_t first, Fits fits) {
  std::size_t low = first;
  std::size_t high = first;
  for (std::size_t step = 1; high < ends.size() && !fits(ends[high]); step *= 2) {
    low = high + 1;
    high = high + 1 == ends.size() ? ends.size() : std::min(high + step, ends.size() - 1);
  }
  if (high >= ends.size()) return ends.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits(ends[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

std::size_t index_after(std::span<const base::Time> ends, base::Time time) {
  return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), time) - ends.begin());
}

// One group, of whole GPUs or none: counting decides whether it fits.
bool wish_is_countable(const GangWish& wish) {
  const auto& groups = wish.spec->job->groups;
  const auto kind = groups.front().request.gpu.kind;
  return groups.size() == 1 &&
         (kind == model::GpuRequest::Kind::kNone || kind == model::GpuRequest::Kind::kWhole);
}

}  // namespace

model::Placement& Promises::of(const State& state, JobSlot slot) {
  if (promises_.size() <= slot.index()) promises_.resize(slot.index() + 1);
  Promise& promise = promises_[slot.index()];
  const model::JobId job = state.job(slot).spec->id;
  if (promise.job != job) promise = {job, {}};
  return promise.placement;
}

void Planner::started(const JobSpec& spec, const model::Placement& placed, base::Time end) {
  for (const model::TaskPlacement& task : placed) {
    const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
    profile_.started(task.node, request, devices_of(task), end);
  }
}

bool Planner::keeps_off(const model::Placement& placed) const {
  return std::all_of(placed.begin(), placed.end(), [&](const model::TaskPlacement& task) {
    return profile_.untouched(task.node);
  });
}

std::optional<model::Placement> Planner::place(const GangWish& wish, base::Time end,
                                               const std::vector<bool>& closed) const {
  const RoomOf room = [&](model::NodeId node) {
    NodeState free = profile_.untouched(node)
                         ? state_.cluster().node(node)
                         : profile_.room(node, state_.now(), end, wish.spec->queue);
    if (!closed.empty() && closed[node.index()]) free.schedulable = false;
    return free;
  };
  return place_gang(state_, placement_, wish, room);
}

std::optional<Reservation> Planner::plan(JobSlot slot, const GangWish& wish, std::uint64_t key,
                                         base::Time latest) {
  const JobSpec& spec = *wish.spec;
  const JobEntry& job = state_.job(slot);
  const std::vector<base::Time>& all = profile_.ends();  // good until something is claimed
  const std::span<const base::Time> ends(all.begin(),
                                         std::upper_bound(all.begin(), all.end(), latest));
  const base::Duration time = planned_time(spec, state_.settings());
  const auto room_at = [&](base::Time from) -> RoomOf {
    return [this, from, time, &spec](model::NodeId node) {
      return profile_.room(node, from, from + time, spec.queue);
    };
  };
  const bool countable = wish_is_countable(wish);
  const auto fits_from = [&](base::Time from) {
    const RoomOf counts = [&](model::NodeId node) {
      return profile_.counts(node, from, from + time, spec.queue);
    };
    return gang_fits(state_, placement_, wish, countable ? counts : room_at(from));
  };
  const base::Time refused = refused_until(key, time);
  const std::size_t first =
      std::max(profile_.first_end_with(ends, wish.pool, wish.amount), index_after(ends, refused));
  model::Placement& kept = promises_.of(state_, slot);
  const base::Time again = kept.empty() ? kNever : promised_start(spec, kept, job, ends, first);
  // To change the plan, another start must be so early.
  const std::size_t much_earlier = count_much_earlier(ends, again);
  bool keep = again < kNever && (much_earlier <= first || !fits_from(ends[much_earlier - 1]));
  const std::size_t at = keep ? ends.size() : earliest(ends, first, fits_from);
  const std::size_t none_before = keep ? much_earlier : at;
  if (none_before > first) refuse(key, time, ends[none_before - 1]);
  // Where room comes and goes again (windows), the search may miss it: then the plan stays.
  keep = again < kNever && (at == ends.size() || ends[at] >= again);
  if (!keep && at == ends.size()) return std::nullopt;
  const bool moved_by_others = !keep && !kept.empty();
  const base::Time start = keep ? again : ends[at];
  if (!keep) {
    auto placed = place_gang(state_, placement_, wish, room_at(start));
    HEADROOM_ASSERT(placed.has_value());
    kept = std::move(*placed);
  }
  for (const model::TaskPlacement& task : kept) {
    profile_.claim(task.node, spec.requests[static_cast<std::size_t>(task.group)], devices_of(task),
                   start, start + time);
  }
  const bool slipped = moved_by_others && job.planned_start != kNever && start > job.planned_start;
  return Reservation{start, kept, slipped, !keep};
}

// The latest end at which an equal request that runs as long, or shorter, did not fit.
base::Time Planner::refused_until(std::uint64_t key, base::Duration time) const {
  const auto after = refused_.upper_bound({key, time});
  if (after == refused_.begin() || std::prev(after)->first.first != key) return base::Time{};
  return std::prev(after)->second;
}

// Nor will those that run longer fit there.
void Planner::refuse(std::uint64_t key, base::Duration time, base::Time end) {
  auto next = refused_.insert_or_assign({key, time}, end).first;
  for (++next; next != refused_.end() && next->first.first == key && next->second <= end;) {
    next = refused_.erase(next);
  }
}

// When the job can start on what it was promised: at one of `ends` from `first` on, or as promised,
// which need not be the end of anything any more; kNever: not at all.
base::Time Planner::promised_start(const JobSpec& spec, const model::Placement& kept,
                                   const JobEntry& job, std::span<const base::Time> ends,
                                   std::size_t first) const {
  const base::Duration time = planned_time(spec, state_.settings());
  const auto fits = [&](base::Time from) { return fits_at(spec, kept, from, from + time); };
  // Mostly it can start as promised, and no earlier.
  const bool ahead = job.planned_start > state_.now() && job.planned_start < kNever;
  const auto before = static_cast<std::size_t>(
      std::lower_bound(ends.begin(), ends.end(), job.planned_start) - ends.begin());
  const bool earlier = before > first && fits(ends[before - 1]);
  if (ahead && !earlier && fits(job.planned_start)) return job.planned_start;
  const std::size_t at = earliest(ends, first, fits);
  return at < ends.size() ? ends[at] : kNever;
}

// How many of `ends` come so much before `start` that a plan is changed for them: by a quarter of
// the wait and ten minutes.
std::size_t Planner::count_much_earlier(std::span<const base::Time> ends, base::Time start) const {
  const auto much_earlier = [&](base::Time end) {
    const base::Duration wait = base::between(state_.now(), end);
    return end + base::Duration{wait.value() / 4} + kSoon < start;
  };
  return static_cast<std::size_t>(std::partition_point(ends.begin(), ends.end(), much_earlier) -
                                  ends.begin());
}

// Are these very GPUs, and CPU and memory beside them, free during all of [from, to)?
bool Planner::fits_at(const JobSpec& spec, const model::Placement& placed, base::Time from,
                      base::Time to) const {
  std::vector<std::pair<model::NodeId, NodeState>> rooms;
  for (const model::TaskPlacement& task : placed) {
    auto room = std::find_if(rooms.begin(), rooms.end(),
                             [&](const auto& one) { return one.first == task.node; });
    if (room == rooms.end()) {
      rooms.emplace_back(task.node, profile_.room(task.node, from, to, spec.queue));
      room = rooms.end() - 1;
    }
    const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
    const Demand& demand = state_.cluster().demand(request, task.node);
    const MigTable* mig = state_.cluster().mig_table(state_.cluster().shape_id(task.node));
    if (!fits_on(room->second, demand, devices_of(task), mig)) return false;
    occupy(room->second, demand, devices_of(task), mig, state_.cluster().shape(task.node).gpus);
  }
  return true;
}

}  // namespace headroom::schedule

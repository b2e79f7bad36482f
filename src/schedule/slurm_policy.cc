#include "schedule/slurm_policy.h"

#include <algorithm>

#include "schedule/usage.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMillion = 1'000'000;
constexpr base::Duration kCalcPeriod{300'000};

std::int64_t part(std::int64_t value, std::int64_t of) {
  if (of <= 0) return kMillion;
  return static_cast<std::int64_t>(Wide{std::clamp<std::int64_t>(value, 0, of)} * kMillion / of);
}

const PoolOption* option_in(const JobSpec& spec, PoolId pool) {
  for (const PoolOption& option : spec.pools) {
    if (option.pool == pool) return &option;
  }
  return nullptr;
}

std::uint64_t key_of(QueueId queue, std::uint32_t user) {
  return std::uint64_t{queue.index()} << 32 | user;
}

}  // namespace

// Users keep what they used; those of a queue that is gone are gone with it.
void SlurmPolicy::changed(const QueueTree& before, const QueueTree& now) {
  std::vector<User> users;
  user_index_.clear();
  for (User user : users_) {
    user.queue = now.find(before[user.queue].name);
    if (!user.queue.valid()) continue;
    user_index_[key_of(user.queue, user.number)] = users.size();
    users.push_back(user);
  }
  users_ = std::move(users);
  rank_again_ = base::Time{};
}

std::size_t SlurmPolicy::user_of(const JobSpec& spec) {
  const auto [at, fresh] = user_index_.try_emplace(key_of(spec.queue, spec.user), users_.size());
  if (fresh) {
    users_.push_back({.queue = spec.queue, .number = spec.user});
    rank_again_ = base::Time{};
  }
  return at->second;
}

std::int64_t SlurmPolicy::usage_of(const State& state, PoolId pool, std::int64_t amount) const {
  const PoolId cpu = state.cpu_pool();
  if (pool != cpu) return amount;
  std::int64_t gpus = 0;
  for (std::size_t p = 0; p < cpu.index(); ++p) gpus += state.capacity(PoolId{p});
  const std::int64_t cores = state.capacity(cpu);
  if (gpus == 0 || cores == 0) return amount;
  return static_cast<std::int64_t>(Wide{amount} * gpus / cores);
}

// What was held since the last cycle is used; what is held now counts from here on.
void SlurmPolicy::account(const State& state) {
  const base::Duration half_life = settings_.priority.decay_half_life;
  const base::Duration elapsed =
      accounted_ == kNever ? base::Duration{0} : base::between(accounted_, state.now());
  accounted_ = state.now();
  for (User& user : users_) {
    if (half_life > base::Duration{0}) {
      user.used =
          decayed(user.used, elapsed, half_life) + decayed_integral(user.held, elapsed, half_life);
    } else {
      user.used += user.held * elapsed.value();
    }
    user.held = 0;
  }
  for (const JobSlot slot : state.running()) {
    const JobEntry& job = state.job(slot);
    users_[user_of(*job.spec)].held += usage_of(state, job.pool, job.charged);
  }
}

void SlurmPolicy::rank_users(const State& state) {
  const QueueTree& tree = state.queues();
  std::vector<Association> associations(tree.size());
  for (std::size_t q = 0; q < tree.size(); ++q) {
    const QueueNode& queue = tree[QueueId{q}];
    associations[q].shares = queue.weight;
    if (queue.parent.valid()) {
      associations[q].account = static_cast<std::int32_t>(queue.parent.index());
    }
  }
  for (const User& user : users_) {
    for (QueueId q = user.queue; q.valid(); q = tree[q].parent) {
      associations[q.index()].usage += user.used;
    }
    associations.push_back({.account = static_cast<std::int32_t>(user.queue.index()),
                            .user = true,
                            .usage = user.used});
  }
  const std::vector<std::int64_t> factors = fair_tree_factors(associations);
  for (std::size_t u = 0; u < users_.size(); ++u) users_[u].factor = factors[tree.size() + u];
  rank_again_ = state.now() + kCalcPeriod;
}

std::int64_t SlurmPolicy::priority(const State& state, JobSlot slot,
                                   const PoolOption& option) const {
  const model::SlurmPriority& weights = settings_.priority;
  if (!weights.multifactor) return 0;
  const JobEntry& job = state.job(slot);
  const std::int64_t age =
      part(base::between(job.queued_since, state.now()).value(), weights.max_age.value());
  const std::int64_t large = part(option.amount, state.capacity(option.pool));
  const std::int64_t size = weights.favor_small ? kMillion - large : large;
  const std::int64_t share = users_[user_index_.at(key_of(job.spec->queue, job.spec->user))].factor;
  const auto number = static_cast<std::size_t>(job.spec->id.number);
  const std::int64_t fixed = number < settings_.fixed.size() ? settings_.fixed[number] : 0;
  return fixed + weights.age * age + weights.fair_share * share + weights.job_size * size;
}

void SlurmPolicy::begin(const State& state, PoolId pool) {
  state_ = &state;
  pool_ = pool;
  given_ = 0;
  const std::vector<JobSlot>& waiting = state.all_waiting();
  if (pool.index() == 0) {
    account(state);
    for (const JobSlot slot : waiting) user_of(*state.job(slot).spec);
    if (state.now() >= rank_again_) rank_users(state);
  }
  heap_.clear();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const JobSpec& spec = *state.job(waiting[i]).spec;
    const PoolOption* option = option_in(spec, pool);
    if (option == nullptr) continue;
    // The place is turned round: of equals, the first comes out first.
    heap_.push_back({spec.job->priority, priority(state, waiting[i], *option), waiting.size() - i});
  }
  std::make_heap(heap_.begin(), heap_.end());
}

JobSlot SlurmPolicy::next() {
  if (heap_.empty() || given_ == settings_.priority.backfill_depth) return JobSlot::none();
  ++given_;
  std::pop_heap(heap_.begin(), heap_.end());
  const std::size_t place = heap_.back().place;
  heap_.pop_back();
  return state_->all_waiting()[state_->all_waiting().size() - place];
}

void SlurmPolicy::started(JobSlot job, std::int64_t amount) {
  users_[user_of(*state_->job(job).spec)].held += usage_of(*state_, pool_, amount);
}

}  // namespace headroom::schedule

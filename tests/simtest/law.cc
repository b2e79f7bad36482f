#include "tests/simtest/law.h"

#include <algorithm>

#include "tests/simtest/cells.h"

namespace headroom::simtest {

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMilli = 1000;

bool with_gpu(const model::TaskGroup& group) {
  return group.request.gpu.kind != model::GpuRequest::Kind::kNone;
}

std::int64_t amount_of(const std::vector<model::PoolAmount>& amounts, const std::string& pool,
                       std::int64_t otherwise) {
  for (const model::PoolAmount& one : amounts) {
    if (one.pool == pool) return one.amount * kMilli;
  }
  return otherwise;
}

// Is `queue` the leaf or above it?
bool covers(const std::string& queue, const std::string& leaf) {
  return leaf == queue || leaf.starts_with(queue + "/");
}

bool is_top(const std::string& queue) { return queue.find('/') == std::string::npos; }

}  // namespace

std::vector<Option> Law::options(const BookJob& job) const {
  const model::Cluster& cluster = *book_.site().cluster;
  const auto& groups = job.job->groups;
  if (std::none_of(groups.begin(), groups.end(), with_gpu)) {
    std::int64_t cpu = 0;
    std::int64_t left = job.minimum();
    for (const model::TaskGroup& group : groups) {
      const std::int64_t tasks = std::min(left, group.tasks);
      left -= tasks;
      cpu += tasks * group.request.cpu.value();
    }
    return {{"cpu", cpu}};
  }
  std::vector<Option> options;
  for (const model::NodeShape& any : cluster.shapes) {
    const auto known = [&](const Option& one) { return one.pool == any.pool; };
    if (any.gpus == 0 || std::any_of(options.begin(), options.end(), known)) continue;
    Option option{any.pool};
    std::int64_t left = job.minimum();
    for (const model::TaskGroup& group : groups) {
      const auto fits = std::find_if(
          cluster.shapes.begin(), cluster.shapes.end(), [&](const model::NodeShape& shape) {
            return shape.pool == any.pool && suits(group.request, shape, cluster);
          });
      const std::int64_t tasks = std::min(left, group.tasks);
      left -= tasks;
      if (!with_gpu(group)) continue;
      if (fits == cluster.shapes.end()) {
        option.amount = -1;
        break;
      }
      option.amount += tasks * gpus_of(group.request) * share_of(group.request, *fits, cluster);
    }
    if (option.amount >= 0) options.push_back(option);
  }
  return options;
}

std::int64_t Law::charge(const BookJob& job) const {
  std::int64_t sum = 0;
  for (const model::TaskPlacement& task : job.tasks) {
    if (job.pool == "cpu") sum += job.request(task).cpu.value();
    for (const model::DeviceUse& use : task.devices) sum += use.share.value();
  }
  return sum;
}

std::int64_t Law::held(const std::string& queue, const std::string& pool, bool firm) const {
  std::int64_t sum = 0;
  for (const BookJob& job : book_.jobs()) {
    if (!job.holds() || job.pool != pool || !covers(queue, job.job->queue)) continue;
    if (!firm || !job.job->is_preemptible()) sum += charge(job);
  }
  return sum;
}

std::int64_t Law::capacity(const std::string& pool) const {
  const model::Cluster& cluster = *book_.site().cluster;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const model::NodeShape& shape = cluster.shape(model::NodeId{i});
    if (book_.failed(model::NodeId{i})) continue;
    if (pool == "cpu") sum += shape.cpu.value();
    if (shape.pool == pool) sum += kMilli * shape.gpus;
  }
  return sum;
}

const model::Queue& Law::queue(const std::string& name) const {
  const auto& queues = book_.site().queues;
  return *std::find_if(queues.begin(), queues.end(),
                       [&](const model::Queue& one) { return one.name == name; });
}

std::vector<const model::Queue*> Law::path(const std::string& leaf) const {
  std::vector<const model::Queue*> path;
  for (const model::Queue& one : book_.site().queues) {
    if (covers(one.name, leaf)) path.push_back(&one);
  }
  return path;
}

bool Law::has_cells(const std::string& pool) const {
  return std::any_of(book_.site().queues.begin(), book_.site().queues.end(), [&](const auto& one) {
    return std::any_of(one.cells.begin(), one.cells.end(),
                       [&](const auto& cell) { return cell.pool == pool; });
  });
}

bool Law::has_any_cells() const {
  return std::any_of(book_.site().queues.begin(), book_.site().queues.end(),
                     [](const model::Queue& one) { return !one.cells.empty(); });
}

std::int64_t Law::guaranteed(const model::Queue& queue, const std::string& pool) const {
  const model::Cluster& cluster = *book_.site().cluster;
  std::int64_t sum = amount_of(queue.guarantee, pool, 0);
  for (const model::CellGuarantee& cell : queue.cells) {
    if (cell.pool != pool) continue;
    std::int64_t most = 0;
    for (const Domain& domain : whole_domains(cluster, pool, cell.level)) {
      std::int64_t gpus = 0;
      for (const model::NodeId node : domain) gpus += cluster.shape(node).gpus;
      most = std::max(most, gpus);
    }
    sum += cell.count * most * kMilli;
  }
  return sum;
}

Law::Bound Law::promised(const model::Queue& queue, const std::string& pool) const {
  std::int64_t given = 0;
  std::int64_t weights = 0;
  for (const model::Queue& one : book_.site().queues) {
    if (!is_top(one.name)) continue;
    given += guaranteed(one, pool);
    weights += one.weight;
  }
  const std::int64_t all = capacity(pool);
  if (given == 0) {  // nobody has a guarantee: the top-level queues share by weight
    if (!is_top(queue.name)) return {kUnlimited, kUnlimited};
    const std::int64_t part = all / kMilli * queue.weight / weights;
    return {part * kMilli, (part + 1) * kMilli};
  }
  const std::int64_t own = guaranteed(queue, pool);
  if (own == 0 && !is_top(queue.name)) return {kUnlimited, kUnlimited};
  return {given <= all && !has_cells(pool) ? own : 0, own};
}

std::int64_t Law::user_gpus(const BookJob& job) const {
  std::int64_t sum = 0;
  for (const BookJob& one : book_.jobs()) {
    const bool same = one.job->queue == job.job->queue && one.job->user == job.job->user;
    if (same && one.holds() && one.pool != "cpu") sum += charge(one);
  }
  return sum;
}

std::int64_t Law::user_running(const BookJob& job) const {
  return std::count_if(book_.jobs().begin(), book_.jobs().end(), [&](const BookJob& one) {
    return one.holds() && one.job->queue == job.job->queue && one.job->user == job.job->user;
  });
}

// A part of a GPU runs without isolation: only where the queue says so.
bool Law::isolated(const BookJob& job) const {
  if (queue(job.job->queue).cooperative_sharing) return true;
  return std::none_of(job.job->groups.begin(), job.job->groups.end(), [](const auto& group) {
    const auto kind = group.request.gpu.kind;
    return kind == model::GpuRequest::Kind::kShare || kind == model::GpuRequest::Kind::kMemory;
  });
}

std::int64_t Law::array_running(const BookJob& job) const {
  return std::count_if(book_.jobs().begin(), book_.jobs().end(), [&](const BookJob& one) {
    return one.id.number == job.id.number && one.holds();
  });
}

bool Law::crowded(const model::JobSubmitted& event) const {
  const std::int64_t most = queue(event.job.queue).user_limits.waiting;
  if (most < 0) return false;
  const auto& array = event.job.array;
  const std::int64_t more = array ? array->last - array->first + 1 : 1;
  return more + std::count_if(book_.jobs().begin(), book_.jobs().end(),
                              [&](const BookJob& one) {
                                return one.status != Status::kEnded && !one.holds() &&
                                       one.job->queue == event.job.queue &&
                                       one.job->user == event.job.user;
                              }) >
         most;
}

Law::Broken Law::broken(const BookJob& job, bool joins) const {
  if (!joins && !isolated(job)) return {"isolation", "its queue does not share GPUs"};
  const auto& array = job.job->array;
  if (!joins && array && array->most_running > 0 && array_running(job) > array->most_running) {
    return {"array limit", std::to_string(array_running(job)) + " elements run"};
  }
  for (const model::Queue* one : path(job.job->queue)) {
    const std::int64_t now = held(one->name, job.pool);
    if (now > amount_of(one->limit, job.pool, kUnlimited)) {
      return {"limit", "queue " + one->name + " holds " + std::to_string(now) + " of " + job.pool};
    }
    if (job.job->is_preemptible()) continue;
    const std::int64_t firm = held(one->name, job.pool, true);
    if (firm > promised(*one, job.pool).high) {
      return {"guarantee", "queue " + one->name + " holds " + std::to_string(firm) + " of " +
                               job.pool + " firmly"};
    }
  }
  const model::UserLimits& limits = queue(job.job->queue).user_limits;
  if (limits.gpus >= 0 && job.pool != "cpu" && user_gpus(job) > limits.gpus * kMilli) {
    return {"user limit", job.job->user + " holds " + std::to_string(user_gpus(job))};
  }
  if (!joins && limits.running >= 0 && user_running(job) > limits.running) {
    return {"user limit", job.job->user + " runs " + std::to_string(user_running(job))};
  }
  return {};
}

bool Law::allows(const BookJob& job, const Option& option) const {
  if (!job.job->is_preemptible() && has_any_cells()) return false;
  for (const model::Queue* one : path(job.job->queue)) {
    const std::int64_t limit = amount_of(one->limit, option.pool, kUnlimited);
    if (limit < kUnlimited && held(one->name, option.pool) + option.amount > limit) return false;
    if (job.job->is_preemptible()) continue;
    const std::int64_t low = promised(*one, option.pool).low;
    if (low == kUnlimited) continue;
    if (held(one->name, option.pool, true) + option.amount > low) return false;
  }
  const auto& array = job.job->array;
  if (array && array->most_running > 0 && array_running(job) >= array->most_running) return false;
  const model::UserLimits& limits = queue(job.job->queue).user_limits;
  const bool gpus = option.pool != "cpu";
  if (limits.gpus >= 0 && gpus && user_gpus(job) + option.amount > limits.gpus * kMilli) {
    return false;
  }
  return limits.running < 0 || user_running(job) < limits.running;
}

bool Law::may_run(const BookJob& job, const std::string& pool) const {
  const std::vector<Option> all = options(job);
  return std::any_of(all.begin(), all.end(), [&](const Option& option) {
    return (pool.empty() || option.pool == pool) && allows(job, option);
  });
}

bool Law::could_allow(const BookJob& job, const Option& option) const {
  if (!isolated(job)) return false;
  if (!job.job->is_preemptible() && has_any_cells()) return false;  // nobody knows
  for (const model::Queue* one : path(job.job->queue)) {
    if (option.amount > amount_of(one->limit, option.pool, kUnlimited)) return false;
    if (!job.job->is_preemptible() && option.amount > promised(*one, option.pool).low) return false;
  }
  const model::UserLimits& limits = queue(job.job->queue).user_limits;
  return option.pool == "cpu" || limits.gpus < 0 || option.amount <= limits.gpus * kMilli;
}

}  // namespace headroom::simtest

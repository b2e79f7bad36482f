#include "model/history.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace headroom::model {

void History::leave_out(std::string_view reason, std::int64_t rows) {
  if (rows == 0) return;
  const auto same = [&](const LeftOut& known) { return known.reason == reason; };
  const auto found = std::find_if(left_out.begin(), left_out.end(), same);
  if (found == left_out.end()) {
    left_out.push_back({.reason = std::string(reason), .rows = rows});
  } else {
    found->rows += rows;
  }
}

std::int64_t History::rows_left_out() const {
  std::int64_t rows = 0;
  for (const LeftOut& reason : left_out) rows += reason.rows;
  return rows;
}

void History::note(std::string text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

void History::sort_jobs() {
  const auto by_submission = [](const HistoricJob& a, const HistoricJob& b) {
    return a.submit < b.submit;
  };
  if (std::is_sorted(jobs.begin(), jobs.end(), by_submission)) return;
  // A job is large: it is moved once, and not at every step of the sorting.
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].submit < jobs[b].submit; });
  std::vector<HistoricJob> sorted;
  sorted.reserve(jobs.size());
  for (const std::size_t i : order) sorted.push_back(std::move(jobs[i]));
  jobs = std::move(sorted);
}

std::vector<std::int64_t> dependency_cycle(const History& history) {
  std::map<std::int64_t, std::set<std::int64_t>> waits_for;  // elements of an array share a number
  for (const HistoricJob& one : history.jobs) {
    if (one.number == 0) continue;
    for (const Dependency& after : one.job.after) waits_for[one.number].insert(after.job);
  }
  // Depth first: each number is entered once, each dependency followed once, and a number is left
  // for good when all that it waits for was.
  std::set<std::int64_t> left;
  std::vector<std::int64_t> path;
  std::map<std::int64_t, std::size_t> position;  // in the path
  for (const auto& [root, ignored] : waits_for) {
    if (!left.contains(root)) path.push_back(root);
    while (!path.empty()) {
      const std::int64_t here = path.back();
      position.emplace(here, path.size() - 1);
      const auto edges = waits_for.find(here);
      std::int64_t next = 0;
      while (edges != waits_for.end() && !edges->second.empty() && next == 0) {
        const std::int64_t other = *edges->second.begin();
        edges->second.erase(edges->second.begin());
        const auto on_path = position.find(other);
        if (on_path != position.end()) {
          return {path.begin() + static_cast<std::ptrdiff_t>(on_path->second), path.end()};
        }
        if (!left.contains(other)) next = other;
      }
      if (next != 0) {
        path.push_back(next);
        continue;
      }
      left.insert(here);
      position.erase(here);
      path.pop_back();
    }
  }
  return {};
}

std::int64_t drop_dependency_circles(History& history) {
  constexpr int kMostCircles = 100;  // more are no accident: then all dependencies go
  std::int64_t dropped = 0;
  for (int circles = 0;; ++circles) {
    const std::vector<std::int64_t> circle = dependency_cycle(history);
    if (circle.empty()) return dropped;
    for (HistoricJob& one : history.jobs) {
      const bool is_hit = one.number == circle.front() || circles == kMostCircles;
      if (!is_hit || one.job.after.empty()) continue;
      one.job.after.clear();
      ++dropped;
    }
  }
}

std::vector<std::string> match_queues(History& history, const std::vector<Queue>& queues) {
  std::map<std::string, std::string> path_of;  // by full path, and by what the path ends with
  for (const Queue& queue : queues) {
    for (std::size_t at = queue.name.find('/'); at != std::string::npos;
         at = queue.name.find('/', at + 1)) {
      const auto [known, is_new] = path_of.emplace(queue.name.substr(at + 1), queue.name);
      if (!is_new) known->second.clear();  // several end so
    }
  }
  for (const Queue& queue : queues) path_of[queue.name] = queue.name;
  std::set<std::string> unknown;
  for (HistoricJob& one : history.jobs) {
    const auto found = path_of.find(one.job.queue);
    if (found == path_of.end() || found->second.empty()) {
      unknown.insert(one.job.queue);
    } else {
      one.job.queue = found->second;
    }
  }
  return {unknown.begin(), unknown.end()};
}

std::int64_t gpus_of(const Job& job) {
  std::int64_t gpus = 0;
  for (const TaskGroup& group : job.groups) {
    const GpuRequest& gpu = group.request.gpu;
    if (gpu.kind == GpuRequest::Kind::kNone) continue;
    gpus += group.tasks * (gpu.kind == GpuRequest::Kind::kWhole ? gpu.count : 1);
  }
  return gpus;
}

}  // namespace headroom::model

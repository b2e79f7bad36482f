#include "model/history.h"

#include <algorithm>

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
  std::stable_sort(jobs.begin(), jobs.end(), by_submission);
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

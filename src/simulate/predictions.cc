#include "simulate/predictions.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "simulate/durations.h"
#include "simulate/summary.h"

namespace headroom::simulate {

namespace {

using base::Duration;
using base::Time;

// The quantile of all values so far. The values that may come are known from the beginning, which
// makes a Fenwick tree of their counts possible: O(log n) a value and a question.
class RunningQuantile {
 public:
  explicit RunningQuantile(std::vector<std::int64_t> values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    counts_.resize(values_.size() + 1);
  }

  void add(std::int64_t value) {
    const auto at = std::lower_bound(values_.begin(), values_.end(), value) - values_.begin();
    for (auto i = static_cast<std::size_t>(at) + 1; i < counts_.size(); i += i & (~i + 1)) {
      ++counts_[i];
    }
    ++count_;
  }

  bool empty() const { return count_ == 0; }

  // Nearest rank.
  std::int64_t quantile(std::int64_t permille) const {
    std::int64_t left = std::max<std::int64_t>((count_ * permille + 999) / 1000, 1);
    std::size_t at = 0;
    for (std::size_t step = std::bit_floor(values_.size()); step > 0; step /= 2) {
      if (at + step >= counts_.size() || counts_[at + step] >= left) continue;
      at += step;
      left -= counts_[at];
    }
    return values_[at];
  }

 private:
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
};

double pinball(Duration ran, Duration predicted, std::int64_t permille) {
  const std::int64_t above = (ran - predicted).value();
  const std::int64_t weight = above >= 0 ? permille : permille - 1000;
  return static_cast<double>(above) * static_cast<double>(weight) / 1e6;  // seconds
}

// A job is submitted, or has ended; ends come first, as in a replay.
struct Moment {
  Time time;
  bool submitted = false;
  std::uint32_t job = 0;
};

std::vector<Moment> moments_of(const ReplayResult& result) {
  std::vector<Moment> moments;
  for (const JobRun& run : result.jobs) {
    if (!ran_to_its_end(run)) continue;
    moments.push_back({run.submitted, true, run.job});
    moments.push_back({run.end, false, run.job});
  }
  std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
    return std::tie(a.time, a.submitted, a.job) < std::tie(b.time, b.submitted, b.job);
  });
  return moments;
}

void add(PredictionLoss& loss, const model::HistoricJob& job, const Durations& durations,
         const RunningQuantile& all) {
  ++loss.jobs;
  const auto judge = [&](PinballLoss& one, std::int64_t permille) {
    one.predicted += pinball(job.run, durations.quantile(job.job, permille), permille);
    one.global += pinball(job.run, Duration{all.quantile(permille)}, permille);
    if (job.job.time > Duration{0}) one.limit += pinball(job.run, job.job.time, permille);
  };
  judge(loss.p50, 500);
  judge(loss.p90, 900);
}

void mean(PredictionLoss& loss) {
  const auto jobs = static_cast<double>(std::max<std::int64_t>(loss.jobs, 1));
  for (PinballLoss* one : {&loss.p50, &loss.p90}) {
    one->predicted /= jobs;
    one->global /= jobs;
    one->limit /= jobs;
  }
}

}  // namespace

Predictions judge_predictions(const model::History& history, const ReplayResult& result) {
  std::vector<std::int64_t> runs;
  for (const model::HistoricJob& job : history.jobs) runs.push_back(job.run.value());
  RunningQuantile all(std::move(runs));
  Durations durations;
  Predictions found;
  for (const Moment& moment : moments_of(result)) {
    const model::HistoricJob& job = history.jobs[moment.job];
    if (!moment.submitted) {
      durations.ended(job.job, job.run);
      all.add(job.run.value());
    } else if (!all.empty()) {
      add(found.all, job, durations, all);
      if (job.job.time > Duration{0}) add(found.limited, job, durations, all);
    }
  }
  mean(found.all);
  mean(found.limited);
  found.all.p50.limit = found.all.p90.limit = 0;
  return found;
}

}  // namespace headroom::simulate

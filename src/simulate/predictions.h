// Predictions: how good the predictions of run times were that a replay made at submission, each
// from the jobs alone that had ended before it.
//
// Loss     pinball: at the quantile p, a run time y and a prediction q cost p * (y - q) where y is
//          larger, else (1 - p) * (q - y); the mean over jobs, in seconds (at P50: half the
//          absolute error). Small is good.
// Rivals   the quantile of all run times that had ended before, whatever the job; and for jobs with
//          a limit the limit itself.
// Judged   are jobs that ran to their end and were submitted when at least one had ended.
#pragma once

#include <cstdint>

#include "model/history.h"
#include "simulate/replay.h"

namespace headroom::simulate {

struct PinballLoss {
  double predicted = 0;
  double global = 0;  // by the quantile of all
  double limit = 0;   // by the limit; 0 of jobs without one
};

struct PredictionLoss {
  std::int64_t jobs = 0;
  PinballLoss p50;
  PinballLoss p90;
};

struct Predictions {
  PredictionLoss all;      // of all jobs, those with a limit included
  PredictionLoss limited;  // of jobs with a limit
};

// O(jobs * log jobs).
Predictions judge_predictions(const model::History& history, const ReplayResult& result);

}  // namespace headroom::simulate

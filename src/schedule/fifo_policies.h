// fifo, easy, conservative: jobs by priority, then in the order of submission, whatever queue they
// are in.
//
//   fifo          the first job that does not fit blocks all behind it
//   easy          the first blocked job holds a reservation; others start if they do not delay it
//                 (Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995)
//   conservative  every blocked job holds one (Mu'alem and Feitelson, IEEE TPDS 2001), planned in
//                 that order: jobs that were moved back often are not put first
#pragma once

#include <limits>

#include "schedule/policy.h"

namespace headroom::schedule {

class SubmissionOrder : public Policy {
 public:
  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;

 private:
  const std::vector<JobSlot>* order_ = nullptr;  // during a cycle
  std::size_t next_ = 0;
};

class Fifo final : public SubmissionOrder {
 public:
  std::int64_t reservations(const Settings&) const override { return 0; }
  bool strict() const override { return true; }
};

class Easy final : public SubmissionOrder {
 public:
  std::int64_t reservations(const Settings&) const override { return 1; }
};

class Conservative final : public SubmissionOrder {
 public:
  std::int64_t reservations(const Settings&) const override {
    return std::numeric_limits<std::int64_t>::max();
  }
  bool protects() const override { return false; }
};

}  // namespace headroom::schedule

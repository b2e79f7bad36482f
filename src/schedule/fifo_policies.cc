#include "schedule/fifo_policies.h"

namespace headroom::schedule {

void SubmissionOrder::begin(const State& state, PoolId) {
  order_ = &state.all_waiting();
  next_ = 0;
}

JobSlot SubmissionOrder::next() {
  return next_ < order_->size() ? (*order_)[next_++] : JobSlot::none();
}

}  // namespace headroom::schedule

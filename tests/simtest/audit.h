// The state beside the book: what is free on each node, who holds what, who waits in which order.
// The sums that the state keeps are not part of its digest, so they are looked at here.
#pragma once

#include "schedule/state.h"
#include "tests/simtest/book.h"

namespace headroom::simtest {

void audit(const schedule::State& state, const Book& book, Findings& findings);

}  // namespace headroom::simtest

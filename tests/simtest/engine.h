// Engine: what runs the jobs, seen from the scheduler: when attempts end and how, tasks that end
// one by one, stops that are confirmed late, allocations that get lost. Knows the true run times,
// which nobody else does.
#pragma once

#include <functional>
#include <map>

#include "base/rng.h"
#include "model/record.h"
#include "tests/simtest/book.h"

namespace headroom::simtest {

class Engine {
 public:
  // Something that happens later: asked, when its time has come, for its event; none if it does not
  // apply any more.
  using Later = std::function<std::optional<model::Event>()>;
  using At = std::function<void(base::Time, Later)>;

  Engine(base::Rng& rng, const Book& book, At at) : rng_(rng), book_(book), at_(std::move(at)) {}

  // Decisions and events, after the book has read them.
  void carry_out(const model::StartJob& start);
  void carry_out(const model::StopJob& stop);
  template <class Other>
  void carry_out(const Other&) {}
  void happened(const model::Event& event);

 private:
  void plan_end(model::AllocationId id);
  void confirm_stop(model::AllocationId id, model::AllocationEnded::Outcome outcome);
  const BookJob* holder(model::AllocationId id) const;

  base::Rng& rng_;
  const Book& book_;
  At at_;
  struct Plan {
    std::uint64_t version = 0;  // of the end that is planned; an older one is void
    bool planned = false;
  };
  std::map<model::AllocationId, Plan> plan_;
};

}  // namespace headroom::simtest

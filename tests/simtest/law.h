// Law: what queues and users may hold, from the queues as they were written and the book. Every sum
// is added up anew whenever somebody asks.
#pragma once

#include <string>
#include <vector>

#include "tests/simtest/book.h"

namespace headroom::simtest {

// A pool that could run the job, and what it would hold of it with the fewest tasks that may run
// (the first ones): thousandths of a GPU or core.
struct Option {
  std::string pool;
  std::int64_t amount = 0;
};

class Law {
 public:
  explicit Law(const Book& book) : book_(book) {}

  std::vector<Option> options(const BookJob& job) const;
  std::int64_t charge(const BookJob& job) const;  // thousandths of its pool that it holds

  // What is broken now because this job holds what it holds; empty: nothing.
  struct Broken {
    std::string checker;
    std::string text;
  };
  // `joins`: members join what runs already: how many run and what its queue shares matters
  // when a job starts.
  Broken broken(const BookJob& job, bool joins) const;

  // May a job that waits take so much more now? Where a guarantee is short because nodes failed, or
  // some are in cells, jobs that cannot be preempted: no, to be on the safe side.
  bool allows(const BookJob& job, const Option& option) const;
  // In one of its pools, or in this one.
  bool may_run(const BookJob& job, const std::string& pool = "") const;
  // The same on an empty cluster.
  bool could_allow(const BookJob& job, const Option& option) const;

  // Is this more than its user may have waiting in the queue?
  bool crowded(const model::JobSubmitted& event) const;

  std::int64_t held(const std::string& queue, const std::string& pool, bool firm = false) const;
  std::int64_t capacity(const std::string& pool) const;  // of nodes that have not failed

  // What a queue is guaranteed, its cells included: they have as many GPUs as one of the domains.
  std::int64_t guaranteed(const model::Queue& queue, const std::string& pool) const;
  bool has_cells(const std::string& pool) const;
  bool has_any_cells() const;

 private:
  struct Bound {
    std::int64_t low;   // so much is promised for certain
    std::int64_t high;  // and not more than this
  };
  const model::Queue& queue(const std::string& name) const;
  std::vector<const model::Queue*> path(const std::string& leaf) const;
  Bound promised(const model::Queue& queue, const std::string& pool) const;
  bool isolated(const BookJob& job) const;
  std::int64_t user_gpus(const BookJob& job) const;
  std::int64_t user_running(const BookJob& job) const;
  std::int64_t array_running(const BookJob& job) const;

  const Book& book_;
};

}  // namespace headroom::simtest

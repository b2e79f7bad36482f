// Book: what a bystander knows who reads the records and nothing else: every job, what it holds,
// how it ended. It knows the rules of a job's life, and none of how decisions are made. Whatever a
// record does that these rules forbid is a finding.
//
// Every look-up is a plain scan: jobs are few.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/record.h"
#include "tests/simtest/rooms.h"
#include "tests/simtest/site.h"

namespace headroom::simtest {

// The first thing that went wrong.
class Findings {
 public:
  void add(const std::string& checker, const std::string& text) {
    if (!checker_.empty()) return;
    checker_ = checker;
    text_ = text;
  }
  bool any() const { return !checker_.empty(); }
  const std::string& checker() const { return checker_; }
  const std::string& text() const { return text_; }

 private:
  std::string checker_;
  std::string text_;
};

constexpr base::Time kNever{std::numeric_limits<std::int64_t>::max()};

enum class Status { kHeld, kWaiting, kRunning, kStopping, kEnded };
enum class End { kNone, kCompleted, kFailed, kCancelled, kTimedOut, kRejected };

struct Promise {
  base::Time start;
  model::Placement placement;
  std::uint64_t cycle = 0;  // in which it was made
};

struct BookJob {
  model::JobId id;
  std::shared_ptr<const model::Job> job;
  base::Duration planned;  // 0: nothing is known
  Status status = Status::kWaiting;
  End end = End::kNone;
  bool cancelled = false;
  bool blocked = false;           // waiting, by a dependency or its begin time
  std::uint64_t ready_since = 0;  // the cycle before which, or in which, it became so
  std::int64_t attempt = 0;
  std::int64_t failures = 0;
  std::int64_t slips = 0;
  base::Time age;  // it counts from here
  base::Time started;
  std::uint64_t started_in = 0;                             // cycle
  std::string pool;                                         // charged since it started
  std::vector<model::TaskPlacement> tasks;                  // that run
  std::vector<std::pair<std::int64_t, std::int64_t>> done;  // group and index
  base::Time degraded_since = kNever;
  std::optional<Promise> promise;
  std::optional<Promise> promised_before;  // the promise that it replaced

  bool holds() const { return status == Status::kRunning || status == Status::kStopping; }
  bool ready() const { return status == Status::kWaiting && !blocked; }
  std::int64_t minimum() const { return job->elastic ? job->elastic->min : job->gang_minimum(); }
  const model::Request& request(const model::TaskPlacement& task) const {
    return job->groups[static_cast<std::size_t>(task.group)].request;
  }
};

std::string name_of(model::JobId id);

class Book {
 public:
  Book(const Site& site, Findings& findings);

  void read(const model::Record& record);
  void begin_cycle() { ++cycle_; }

  base::Time now() const { return now_; }
  std::uint64_t cycle() const { return cycle_; }
  const std::vector<BookJob>& jobs() const { return jobs_; }
  const BookJob* find(model::JobId id) const;
  const Site& site() const { return site_; }  // nodes and queues as they are now
  const Rooms& rooms() const { return rooms_; }
  bool failed(model::NodeId node) const { return failed_[node.index()]; }
  bool drained(model::NodeId node) const { return drained_[node.index()]; }
  bool open(model::NodeId node) const { return !failed(node) && !drained(node); }
  bool removed(model::NodeId node) const { return site_.cluster->nodes[node.index()].name.empty(); }
  bool has_jobs(const std::string& queue) const;  // itself, not those below it
  const std::map<std::string, model::ReservationChanged>& windows() const { return windows_; }

  // A window that is not of this queue closes the node at some time of [from, to).
  bool closed(model::NodeId node, base::Time from, base::Time to, const std::string& queue) const;

  // How long the scheduler must take it that the job runs, and until when the attempt at hand does.
  base::Duration planned(const BookJob& job) const;
  base::Time expected_end(const BookJob& job) const;

  // A dependency or the begin time stands against the job now; it always will.
  bool is_blocked(const BookJob& job) const;
  bool blocked_for_ever(const BookJob& job) const;

 private:
  BookJob* at(model::JobId id);
  BookJob& job(model::JobId id);
  void wrong(const std::string& checker, model::JobId id, const std::string& text);

  void read(const model::JobSubmitted& event);
  void read(const model::JobCancelled& event);
  void read(const model::JobChanged& event);
  void read(const model::JobHeld& event);
  void read(const model::AllocationEnded& event);
  void read(const model::AllocationLost& event);
  void read(const model::TaskEnded& event);
  void read(const model::NodeDrained& event);
  void read(const model::NodeFailed& event);
  void read(const model::NodeRecovered& event);
  void read(const model::ReservationChanged& event);
  void read(const model::NodeAdded& event);
  void read(const model::NodeChanged& event);
  void read(const model::NodeRemoved& event);
  void read(const model::QueueChanged& event);
  void read(const model::RepartitionFailed& event);
  void read(const model::StartJob& decision);
  void read(const model::StopJob& decision);
  void read(const model::ReserveFor& decision);
  void read(const model::RejectJob& decision);
  template <class Other>
  void read(const Other&) {}

  End end_of(std::int64_t number) const;
  bool has_started(std::int64_t number) const;
  void add_task(BookJob& job, const model::TaskPlacement& task);
  void give_back_all(BookJob& job);
  void requeue(BookJob& job);
  void finish(BookJob& job, End end);
  void note_degraded(BookJob& job);
  void lose_tasks(const std::function<bool(const model::TaskPlacement&)>& lost);
  void replace_cluster(model::Cluster cluster, model::NodeId changed);
  void unblock();

  Site site_;
  Findings& findings_;
  base::Time now_;
  std::uint64_t cycle_ = 0;
  std::vector<BookJob> jobs_;
  std::map<model::JobId, std::size_t> index_;
  Rooms rooms_;
  std::vector<bool> failed_, drained_;  // by node
  std::map<std::string, model::ReservationChanged> windows_;
};

}  // namespace headroom::simtest

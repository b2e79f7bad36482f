// Reader: answers questions about what was committed, beside the store that writes. Each thread has
// its own; nobody waits for anybody (WAL). What a reader says is at most as old as the last commit.
//
//   auto reader = Reader::open("/var/lib/headroom");
//   auto page = (*reader)->jobs({.states = live_states(), .user = "ana", .limit = 100});
//   page->more;     // goes into JobQuery::more to read on; empty: that was all
//
// Errors: the file cannot be read, or is damaged (the message names it); `more` is not one of ours.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/job_row.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/usage.h"

namespace headroom::store {

enum class JobOrder : std::uint8_t {
  kId,
  kName,
  kQueue,
  kUser,
  kState,
  kPriority,
  kGpus,
  kSubmitted,
  kStarted,
  kEnded
};

std::vector<JobState> live_states();
std::vector<JobState> final_states();

struct JobQuery {
  std::vector<JobState> states;  // empty: all
  std::string user;              // empty: all
  std::string queue;             // it or below it; empty: all
  std::string name;              // * and ? stand for any characters; empty: all
  std::int64_t number = 0;       // the elements of this array; 0: all
  JobOrder order = JobOrder::kId;
  bool descending = false;
  std::int64_t limit = 100;
  std::string more;  // of the page before; the rest of the query must be the same
};

struct JobPage {
  std::vector<JobRow> jobs;
  std::string more;
};

struct AuditRow {
  std::int64_t id = 0;  // 1, 2, 3, … without gaps
  AuditEntry entry;
  std::string hash;  // audit.h
};

struct AuditQuery {
  bool newest_first = true;
  std::int64_t limit = 100;
  std::int64_t after = 0;  // id of the last row of the page before; 0: the first page
};

class Reader {
 public:
  static base::Result<std::unique_ptr<Reader>> open(const std::string& folder,
                                                    const std::string& vfs = "");

  // By id (with users) or by end: O(log jobs + page). Other orders sort what the filters leave.
  base::Result<JobPage> jobs(const JobQuery& query);
  base::Result<std::optional<JobRow>> job(model::JobId id);
  base::Result<std::optional<model::Job>> spec(model::JobId id);
  base::Result<std::vector<AllocationRow>> allocations(model::JobId id);
  base::Result<std::vector<TimelineEntry>> timeline(model::JobId id);

  // O(attempts and nodes that overlap the time).
  base::Result<Usage> usage(const UsageQuery& query);

  base::Result<std::vector<AuditRow>> audit(const AuditQuery& query);
  base::Result<std::vector<Token>> tokens();

  Database& database() { return db_; }

 private:
  Reader(const std::string& folder, const std::string& vfs);

  Database db_;
};

}  // namespace headroom::store

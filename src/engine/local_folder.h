// Where the local engine keeps what it knows (docs/engines.md), so that it survives the server:
//
//   lock, epoch          one server at a time; the highest epoch that was seen
//   launched             what was launched (local_ledger.h), durable before anything starts
//   live/1041-2/         an allocation until it is forgotten
//     plan               what to run (local_plan.h)
//     lock               held by its supervisor as long as that lives
//     order              the latest order to stop it
//     reports            what happened, a line each; only the supervisor appends
//   ring/1041-2          touched by a supervisor when it has appended: the engine watches this
//   folder new/, trash/         folders that are not yet, or no longer, in live/ logs/1/1041-2/
//   output of the tasks (local_log.h)
//
// An allocation whose `reports` has begun is never begun again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/posix.h"

namespace headroom::engine {

class LocalFolder {
 public:
  explicit LocalFolder(std::string root) : root_(std::move(root)) {}

  base::Result<void> make() const;

  const std::string& root() const { return root_; }
  std::string at(const std::string& name) const { return root_ + "/" + name; }
  std::string live() const { return at("live"); }
  std::string live(const std::string& name) const { return at("live/" + name); }
  std::string ring(const std::string& name) const { return at("ring/" + name); }
  std::string logs(const model::AllocationId& id) const;

 private:
  std::string root_;
};

// What a supervisor writes: it began (with its process id), or a report.
struct ReportLine {
  bool begun = false;
  std::int64_t pid = 0;
  Report report;
};

std::string print_report_line(const ReportLine& line);  // with the line break

// The lines that are whole, and how many bytes they take: what follows was torn by a crash.
struct ReportLines {
  std::vector<ReportLine> lines;
  std::size_t bytes = 0;
};
base::Result<ReportLines> parse_report_lines(std::string_view text, const model::AllocationId& id);

bool is_end(Report::Kind kind);

// The order in an allocation's folder; of the orders that it got, the last.
std::string print_order(const Stop& stop);
base::Result<Stop> parse_order(const std::string& text);

// Tries to hold the file's lock for as long as the descriptor is open. Not valid: another does.
base::Result<Fd> try_lock(const std::string& path);

}  // namespace headroom::engine

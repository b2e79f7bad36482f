// SlurmHistory: makes a history of the records that Slurm's tools print. Steps are folded into
// their jobs; rows that stand there twice count once; several attempts of a job (sacct -D) become
// one job with restarts; waiting elements of an array become a job each; the parts of a
// heterogeneous job become the groups of one.
//
// What a job asked for is spread evenly over its nodes, one task a node: Slurm does not tell how
// its GPUs were divided. Its own priority is a mix of age, fair share and more, and is not taken
// over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formats/history.h"
#include "formats/slurm_job.h"
#include "formats/time_zone.h"
#include "model/history.h"

namespace headroom::formats {

class SlurmHistory {
 public:
  // Error: the time zone is not known.
  static base::Result<SlurmHistory> create(const HistoryOptions& options);

  const TimeZone& zone() const { return zone_; }
  Strictness strictness() const { return options_.strictness; }

  // Error (strict): the record contradicts itself, or is of a second cluster.
  base::Result<void> add(SlurmJob job);
  // Counts a row that cannot be read (lenient), or returns its message as the error.
  base::Result<void> bad_row(std::string message);
  void note(std::string text) { history_.note(std::move(text)); }
  // The form has times of day without a zone.
  void expect_bare_times() { has_bare_times_ = true; }

  // All jobs; the object is used up. Error: there is none.
  base::Result<model::History> finish(const std::string& name);

 private:
  explicit SlurmHistory(HistoryOptions options) : options_(std::move(options)) {}

  base::Result<void> check(const SlurmJob& job) const;
  bool is_of_this_cluster(const SlurmJob& job);
  void fold(std::vector<SlurmJob>& attempts);
  void add_elements(const SlurmJob& job, const model::HistoricJob& one);
  void add_part(model::HistoricJob one, std::int64_t number);
  void drop_doubles();
  void write_notes();

  HistoryOptions options_;
  TimeZone zone_;
  bool has_bare_times_ = false;
  model::History history_;
  // By id and user: the attempts. Ids are in the order in which they came up.
  std::vector<std::vector<SlurmJob>> jobs_;
  std::map<std::pair<std::string, std::string>, std::size_t> job_of_;
  std::map<std::int64_t, std::size_t> whole_of_part_;  // heterogeneous: position in history_.jobs
  std::map<std::string, std::int64_t> steps_;          // of jobs, by id
  std::map<std::string, std::int64_t> counts_;         // of what the notes tell
  std::string cluster_place_;
};

}  // namespace headroom::formats

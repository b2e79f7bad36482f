#include "formats/sacct.h"

#include <fmt/format.h>

#include <array>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/sacct_text.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Result;

namespace {

enum Column : std::size_t {
  kJobId,
  kState,
  kSubmit,
  kJobName,
  kUser,
  kAccount,
  kPartition,
  kQos,
  kCluster,
  kEligible,
  kStart,
  kEnd,
  kElapsed,
  kElapsedRaw,
  kTimelimit,
  kTimelimitRaw,
  kReqTres,
  kAllocTres,
  kReqGres,
  kAllocGres,
  kReqMem,
  kNNodes,
  kAllocNodes,
  kReqNodes,
  kNCpus,
  kAllocCpus,
  kReqCpus,
  kNodeList,
  kReason,
  kSubmitLine,
  kRestarts,
  kReasonRaw,
  kColumns
};
constexpr std::array<const char*, kColumns> kTitles{
    "JobID",     "State",        "Submit",   "JobName",      "User",      "Account",   "Partition",
    "QOS",       "Cluster",      "Eligible", "Start",        "End",       "Elapsed",   "ElapsedRaw",
    "Timelimit", "TimelimitRaw", "ReqTRES",  "AllocTRES",    "ReqGRES",   "AllocGRES", "ReqMem",
    "NNodes",    "AllocNodes",   "ReqNodes", "NCPUS",        "AllocCPUS", "ReqCPUS",   "NodeList",
    "Reason",    "SubmitLine",   "Restarts", "PlannedReason"};

constexpr std::int64_t kMost = 1'000'000'000;

class RowReader {
 public:
  RowReader(SacctText& rows, const TimeZone& zone) : rows_(rows), zone_(zone) {
    for (std::size_t i = 0; i < kColumns; ++i) position_[i] = rows.find(kTitles[i]);
  }

  Result<void> check_columns(const std::string& name) const {
    for (const Column column : {kJobId, kState, kSubmit}) {
      if (has(column)) continue;
      return base::fail(fmt::format("{}:1: column {} is missing: without it no job can be replayed",
                                    name, kTitles[column]));
    }
    if (has(kElapsed) || has(kElapsedRaw) || (has(kStart) && has(kEnd))) return {};
    return base::fail(name +
                      ":1: how long a job ran is missing (column Elapsed, or Start and End)");
  }
  bool tells_size() const {
    return has(kReqTres) || has(kAllocTres) || has(kReqCpus) || has(kNCpus) || has(kAllocCpus);
  }

  Result<SlurmJob> read() {
    error_.clear();
    SlurmJob job;
    job.place = rows_.place();
    take(kJobId, job.id, [](std::string_view text) { return parse_slurm_id(text); });
    read_words(job);
    if (!job.id.is_step) {
      const std::string_view state = field(kState);
      job.was_requeued = state.starts_with("REQUEUE");
      take(kState, job.outcome,
           [this](std::string_view text) { return parse_slurm_state(text, field(kReason)); });
      read_times(job);
      read_sizes(job);
    }
    if (error_.empty()) return job;
    return base::fail(fmt::format("{}: {}", job.place, error_));
  }

 private:
  bool has(Column column) const { return position_[column] >= 0; }
  std::string_view field(Column column) const { return rows_.field(position_[column]); }

  template <class T, class Parse>
  void take(Column column, T& into, const Parse& parse) {
    if (!error_.empty() || !has(column)) return;
    auto value = parse(field(column));
    if (value) {
      into = std::move(*value);
    } else {
      error_ = fmt::format("{}: {}", kTitles[column], value.error().message);
    }
  }

  void take_count(Column column, std::int64_t& into) {
    if (into != 0 || is_nothing(field(column))) return;
    take(column, into, [](std::string_view text) { return parse_integer(text, 0, kMost); });
  }

  void read_words(SlurmJob& job) {
    const auto word = [&](Column column, std::string& into) {
      const std::string_view text = field(column);
      if (is_nothing(text)) return;
      job.has_bad_text = job.has_bad_text || find_bad_text(text) != std::string_view::npos;
      into = clean_text(text);
    };
    word(kJobName, job.name);
    word(kUser, job.user);
    word(kAccount, job.account);
    word(kPartition, job.partition);
    word(kQos, job.qos);
    word(kCluster, job.cluster);
    word(kNodeList, job.node_names);
    word(kSubmitLine, job.submit_line);
  }

  void read_times(SlurmJob& job) {
    const auto time = [this](std::string_view text) { return parse_slurm_time(text, zone_); };
    take(kSubmit, job.submit, time);
    take(kEligible, job.eligible, time);
    take(kStart, job.start, time);
    take(kEnd, job.end, time);
    if (!field(kElapsedRaw).empty()) {
      take(kElapsedRaw, job.elapsed, [](std::string_view text) {
        return parse_integer(text, 0, kMost * 10).map([](std::int64_t seconds) {
          return base::Duration{seconds * 1000};
        });
      });
    } else if (!is_nothing(field(kElapsed)) && field(kElapsed) != "INVALID") {
      take(kElapsed, job.elapsed, parse_slurm_elapsed);
    }
    take(has(kTimelimit) ? kTimelimit : kTimelimitRaw, job.limit, parse_slurm_limit);
  }

  void read_sizes(SlurmJob& job) {
    take(kReqTres, job.requested, parse_tres);
    take(kAllocTres, job.allocated, parse_tres);
    for (const Column column : {kNNodes, kAllocNodes, kReqNodes}) take_count(column, job.nodes);
    for (const Column column : {kReqCpus, kNCpus, kAllocCpus}) take_count(column, job.cpus);
    take_count(kRestarts, job.restarts);
    if (!is_nothing(field(kReqMem)) && field(kReqMem) != "0") {
      take(kReqMem, job.memory, parse_slurm_memory);
    }
    read_gres(kReqGres, job.nodes, job.requested);
    read_gres(kAllocGres, job.nodes, job.allocated);
  }

  // Generic resources are told per node.
  void read_gres(Column column, std::int64_t nodes, Tres& tres) {
    if (tres.gpus > 0) return;
    std::vector<SlurmGpus> gpus;
    take(column, gpus, parse_gres);
    for (SlurmGpus& one : gpus) {
      one.count *= std::max<std::int64_t>(nodes, 1);
      tres.gpus += one.count;
      if (!one.type.empty()) tres.types.push_back(one);
    }
  }

  SacctText& rows_;
  const TimeZone& zone_;
  std::array<int, kColumns> position_{};
  std::string error_;
};

}  // namespace

Result<void> read_sacct_text(const std::string& name, std::string_view text,
                             SlurmHistory& history) {
  Result<SacctText> rows = SacctText::open(name, text);
  if (!rows) return tl::unexpected(rows.error());
  history.expect_bare_times();
  RowReader reader(*rows, history.zone());
  if (Result<void> done = reader.check_columns(name); !done) return done;
  if (!reader.tells_size()) {
    history.note("there is no column of what jobs asked for (ReqTRES): each is taken as one CPU");
  }
  while (true) {
    const Result<bool> more = rows->next();
    if (more && !*more) return {};
    Result<SlurmJob> job = more ? reader.read() : tl::unexpected(more.error());
    const Result<void> done =
        job ? history.add(std::move(*job)) : history.bad_row(job.error().message);
    if (!done) return done;
  }
}

}  // namespace headroom::formats

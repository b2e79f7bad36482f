#include "store/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/archive.h"
#include "model/archive.h"
#include "store/page_mark.h"
#include "store/schema.h"
#include "store/sqlite_store.h"
#include "store/tables.h"

namespace headroom::store {

namespace {

using base::Result;

constexpr const char* kColumns =
    "number, element, name, queue, user, kind, state, priority, tasks, gpus, gpu_model, submitted, "
    "started, ended, attempt, nodes, exit_code, signal, stop, reject, needs, most, planned, "
    "changed";

template <class Reason>
std::optional<Reason> reason(std::int64_t stored) {
  if (stored == 0) return std::nullopt;
  return static_cast<Reason>(stored - 1);
}

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> found;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    found.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return found;
}

JobRow job_row(const Statement& row) {
  return {.id = {row.integer(0), row.integer(1)},
          .name = std::string(row.text(2)),
          .queue = std::string(row.text(3)),
          .user = std::string(row.text(4)),
          .kind = static_cast<model::JobKind>(row.integer(5)),
          .state = static_cast<JobState>(row.integer(6)),
          .priority = row.integer(7),
          .tasks = row.integer(8),
          .gpus = row.quantity<base::GpuMilli>(9),
          .gpu_model = std::string(row.text(10)),
          .submitted = row.quantity<base::Time>(11),
          .started = row.quantity<base::Time>(12),
          .ended = row.quantity<base::Time>(13),
          .attempt = row.integer(14),
          .nodes = split(row.text(15)),
          .exit_code = row.integer(16),
          .signal = row.integer(17),
          .stopped = reason<model::StopJob::Reason>(row.integer(18)),
          .rejected = reason<model::RejectJob::Reason>(row.integer(19)),
          .needs = row.integer(20),
          .most = row.integer(21),
          .planned = row.quantity<base::Time>(22),
          .changed = static_cast<std::uint64_t>(row.integer(23))};
}

// The column that an order goes by; the id decides between equals.
const char* column_of(JobOrder order) {
  constexpr const char* kNames[] = {"",         "name", "queue",     "user",    "state",
                                    "priority", "gpus", "submitted", "started", "ended"};
  return kNames[static_cast<std::size_t>(order)];
}
bool is_text(JobOrder order) {
  return order == JobOrder::kName || order == JobOrder::kQueue || order == JobOrder::kUser;
}

// A SELECT that is put together, with the values of its question marks.
class Question {
 public:
  explicit Question(std::string sql) : sql_(std::move(sql)) {}
  void where(const std::string& term) { (terms_.empty() ? terms_ : terms_ += " AND ") += term; }
  void value(std::int64_t number) { values_.push_back({true, number, {}}); }
  void value(const std::string& text) { values_.push_back({false, 0, text}); }
  std::string sql(const std::string& end) const {
    return sql_ + (terms_.empty() ? "" : " WHERE " + terms_) + end;
  }
  void bind(Statement& to) const {
    int at = 0;
    for (const Value& one : values_) {
      one.is_number ? to.bind(++at, one.number) : to.bind(++at, std::string_view(one.text));
    }
  }

 private:
  struct Value {
    bool is_number;
    std::int64_t number;
    std::string text;
  };
  std::string sql_;
  std::string terms_;
  std::vector<Value> values_;
};

// `state < 5` and `state >= 5` as the indexes have it.
void filter_states(Question& question, const std::vector<JobState>& states) {
  if (states.empty()) return;
  const bool live = std::all_of(states.begin(), states.end(), is_live);
  const bool over = std::none_of(states.begin(), states.end(), is_live);
  if (live) question.where("state < 5");
  if (over) question.where("state >= 5");
  const std::size_t whole = (live ? live_states() : final_states()).size();
  if ((live || over) && states.size() == whole) return;
  std::string list;
  for (const JobState state : states) {
    list += (list.empty() ? "" : ", ") + std::to_string(static_cast<int>(state));
  }
  question.where("state IN (" + list + ")");
}

Question filtered(const JobQuery& query) {
  Question question(std::string("SELECT ") + kColumns + " FROM jobs");
  filter_states(question, query.states);
  if (!query.user.empty()) {
    question.where("user = ?");
    question.value(query.user);
  }
  if (!query.queue.empty()) {
    question.where("(queue = ? OR (queue > ? AND queue < ?))");
    question.value(query.queue);
    question.value(query.queue + "/");
    question.value(query.queue + "0");  // the character after '/'
  }
  if (!query.name.empty()) {
    question.where("name GLOB ?");
    question.value(query.name);
  }
  if (query.number != 0) {
    question.where("number = ?");
    question.value(query.number);
  }
  return question;
}

}  // namespace

std::vector<JobState> live_states() {
  return {JobState::kWaiting, JobState::kHeld, JobState::kLaunching, JobState::kRunning,
          JobState::kStopping};
}
std::vector<JobState> final_states() {
  return {JobState::kCompleted, JobState::kFailed, JobState::kCancelled, JobState::kTimedOut,
          JobState::kRejected};
}

Reader::Reader(const std::string& folder, const std::string& vfs)
    : db_(database_path(folder), Database::Mode::kRead, vfs) {}

Result<std::unique_ptr<Reader>> Reader::open(const std::string& folder, const std::string& vfs) {
  std::unique_ptr<Reader> reader(new Reader(folder, vfs));
  const Result<Found> found = look_at(reader->db_);
  if (!found) return tl::unexpected(found.error());
  if (*found == Found::kNothing) return base::fail(reader->db_.path() + ": it is empty");
  return reader;
}

Result<JobPage> Reader::jobs(const JobQuery& query) {
  db_.forgive();
  Question question = filtered(query);
  const std::string column = column_of(query.order);
  const std::string keys = column.empty() ? "number, element" : column + ", number, element";
  if (!query.more.empty()) {
    const Result<PageMark> mark = read_mark(query.more);
    if (!mark) return tl::unexpected(mark.error());
    if (mark->order != query.order || mark->descending != query.descending) {
      return base::fail("continue: it is of a list in another order");
    }
    question.where(fmt::format("({}) {} ({}?, ?)", keys, query.descending ? "<" : ">",
                               column.empty() ? "" : "?, "));
    if (!column.empty())
      is_text(query.order) ? question.value(mark->text) : question.value(mark->number_key);
    question.value(mark->id.number);
    question.value(mark->id.element);
  }
  const std::string down = query.descending ? " DESC" : "";
  question.value(query.limit + 1);
  Statement rows(db_, question.sql(fmt::format(" ORDER BY {}{}number{}, element{} LIMIT ?",
                                               column.empty() ? "" : column + down,
                                               column.empty() ? "" : ", ", down, down)));
  question.bind(rows);
  JobPage page;
  while (rows.next()) {
    if (static_cast<std::int64_t>(page.jobs.size()) == query.limit) {
      page.more = write_mark(mark_of(page.jobs.back(), query.order, query.descending));
      break;
    }
    page.jobs.push_back(job_row(rows));
  }
  if (!db_.ok()) return db_.failure();
  return page;
}

Result<std::optional<JobRow>> Reader::job(model::JobId id) {
  db_.forgive();
  Statement find(db_,
                 std::string("SELECT ") + kColumns + " FROM jobs WHERE number = ? AND element = ?");
  std::optional<JobRow> found;
  if (find.first(id.number, id.element)) found = job_row(find);
  if (!db_.ok()) return db_.failure();
  return found;
}

Result<std::optional<model::Job>> Reader::spec(model::JobId id) {
  db_.forgive();
  Statement find(db_,
                 "SELECT version, bytes FROM specs WHERE id = "
                 "(SELECT spec FROM jobs WHERE number = ? AND element = ?)");
  std::optional<model::Job> found;
  if (find.first(id.number, id.element)) {
    base::Reader in(find.blob(1), find.integer(0));
    found = in.get<model::Job>();
    if (!in.ok())
      return base::fail(fmt::format("{}: spec of job {}: it is damaged", db_.path(), id.number));
  }
  if (!db_.ok()) return db_.failure();
  return found;
}

Result<std::vector<AllocationRow>> Reader::allocations(model::JobId id) {
  db_.forgive();
  Statement rows(db_,
                 "SELECT attempt, placed, started, stopping, ended, outcome, exit_code, signal, "
                 "out_of_memory, detail, stop, for_number, for_element, version, placement "
                 "FROM allocations WHERE number = ? AND element = ? ORDER BY attempt");
  Statement name(db_, "SELECT name FROM nodes WHERE node = ? ORDER BY since DESC LIMIT 1");
  std::vector<AllocationRow> found;
  for (bool row = rows.first(id.number, id.element); row; row = rows.next()) {
    AllocationRow one{.id = {id, rows.integer(0)},
                      .placed = rows.quantity<base::Time>(1),
                      .started = rows.quantity<base::Time>(2),
                      .stopping = rows.quantity<base::Time>(3),
                      .ended = rows.quantity<base::Time>(4),
                      .outcome = static_cast<AttemptOutcome>(rows.integer(5)),
                      .exit_code = rows.integer(6),
                      .signal = rows.integer(7),
                      .out_of_memory = rows.integer(8) != 0,
                      .detail = std::string(rows.text(9)),
                      .stopped = reason<model::StopJob::Reason>(rows.integer(10)),
                      .for_whom = {rows.integer(11), rows.integer(12)}};
    one.placement = base::Reader(rows.blob(14), rows.integer(13)).get<model::Placement>();
    for (const model::TaskPlacement& task : one.placement) {
      one.nodes.emplace_back(name.first(std::int64_t{task.node.index()}) ? name.text(0)
                                                                         : std::string_view("?"));
    }
    found.push_back(std::move(one));
  }
  if (!db_.ok()) return db_.failure();
  return found;
}

// The stored events between those that the job and its attempts tell.
Result<std::vector<TimelineEntry>> Reader::timeline(model::JobId id) {
  using What = TimelineEntry::What;
  const auto found = job(id);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::vector<TimelineEntry>();
  const auto attempts = allocations(id);
  if (!attempts) return tl::unexpected(attempts.error());

  std::vector<TimelineEntry> line = {{(*found)->submitted, What::kSubmitted, 0, ""}};
  Statement rows(db_,
                 "SELECT time, what, attempt, detail FROM events "
                 "WHERE number = ? AND element = ? ORDER BY changed");
  for (bool row = rows.first(id.number, id.element); row; row = rows.next()) {
    line.push_back({rows.quantity<base::Time>(0), static_cast<What>(rows.integer(1)),
                    rows.integer(2), std::string(rows.text(3))});
  }
  for (const AllocationRow& one : *attempts) {
    const auto add = [&](base::Time time, What what) {
      if (time != base::Time{0}) line.push_back({time, what, one.id.attempt, ""});
    };
    add(one.placed, What::kPlaced);
    add(one.started, What::kStarted);
    add(one.stopping, What::kStopping);
    add(one.ended, What::kAttemptEnded);
  }
  if (!is_live((*found)->state)) line.push_back({(*found)->ended, What::kFinished, 0, ""});
  std::stable_sort(line.begin(), line.end(),
                   [](const TimelineEntry& a, const TimelineEntry& b) { return a.time < b.time; });
  if (!db_.ok()) return db_.failure();
  return line;
}

Result<Usage> Reader::usage(const UsageQuery& query) {
  db_.forgive();
  Statement rows(db_,
                 "SELECT j.queue, j.user, j.kind, u.gpu_model, u.gpus, u.cpus, u.since, u.until, "
                 "a.placed, a.started, a.stopping, a.ended, a.kept, a.waste "
                 "FROM uses u JOIN allocations a USING (number, element, attempt) "
                 "JOIN jobs j USING (number, element) WHERE u.until > ? AND u.since < ?");
  using Key = std::tuple<std::string, std::string, std::int64_t, std::string>;
  std::map<Key, UsageParts> sums;
  for (bool row = rows.first(query.from, query.to); row; row = rows.next()) {
    const Key key = {query.by_queue ? std::string(rows.text(0)) : "",
                     query.by_user ? std::string(rows.text(1)) : "",
                     query.by_kind ? rows.integer(2) : 0,
                     query.by_gpu_model ? std::string(rows.text(3)) : ""};
    const base::Time since = std::max(rows.quantity<base::Time>(6), query.from);
    const base::Time until = std::min(rows.quantity<base::Time>(7), query.to);
    const AttemptTimes times{.placed = rows.quantity<base::Time>(8),
                             .started = rows.quantity<base::Time>(9),
                             .stopping = rows.quantity<base::Time>(10),
                             .ended = rows.quantity<base::Time>(11),
                             .kept = rows.quantity<base::Time>(12),
                             .waste = static_cast<Waste>(rows.integer(13))};
    UsageParts& sum = sums[key];
    add_parts(sum, times, rows.integer(4), since, until);
    sum.cpu_allocated += rows.integer(5) * base::between(since, until).value();
  }
  Usage usage;
  for (const auto& [key, parts] : sums) {
    const auto& [queue, user, kind, gpu_model] = key;
    UsageRow row{.queue = queue, .user = user, .kind = {}, .gpu_model = gpu_model, .parts = parts};
    if (query.by_kind) row.kind = static_cast<model::JobKind>(kind);
    usage.rows.push_back(std::move(row));
  }
  Statement nodes(db_,
                  "SELECT gpu_model, sum(gpus * (min(until, ?2) - max(since, ?1))), "
                  "sum(failed * gpus * (min(until, ?2) - max(since, ?1))), "
                  "sum(cpus * (min(until, ?2) - max(since, ?1))), "
                  "sum(min(until, ?2) - max(since, ?1)) "
                  "FROM nodes WHERE until > ?1 AND since < ?2 GROUP BY gpu_model ORDER BY 1");
  for (bool row = nodes.first(query.from, query.to); row; row = nodes.next()) {
    usage.capacity.push_back({std::string(nodes.text(0)), nodes.integer(1), nodes.integer(2),
                              nodes.integer(3), nodes.integer(4)});
  }
  if (!db_.ok()) return db_.failure();
  return usage;
}

Result<std::vector<AuditRow>> Reader::audit(const AuditQuery& query) {
  db_.forgive();
  auto found = read_audit(db_, query);
  if (!db_.ok()) return db_.failure();
  return found;
}

Result<std::vector<Token>> Reader::tokens() {
  db_.forgive();
  auto found = read_tokens(db_);
  if (!db_.ok()) return db_.failure();
  return found;
}

}  // namespace headroom::store

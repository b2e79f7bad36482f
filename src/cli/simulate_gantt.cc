#include "cli/simulate_gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/html.h"
#include "cli/simulate_axis.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

using simulate::JobRun;
using simulate::Stretch;
using simulate::StretchEnd;

// What a job does in a column; of two that fill the same, the later one is drawn.
enum Doing : std::size_t { kNothing, kWaits, kWorks, kLoses };
constexpr std::size_t kDoings = 4;

// One row of the picture.
class Row {
 public:
  explicit Row(const simulate::ReplayResult& result)
      : first_(result.first.value()),
        length_(std::max<std::int64_t>(1, base::between(result.first, result.last).value())) {}

  void add(base::Time from, base::Time to, Doing what) {
    for (std::int64_t at = from.value(); at < to.value();) {
      const int column = column_of(at);
      const std::int64_t next = std::min(to.value(), begin_of(column + 1));
      time_[static_cast<std::size_t>(column)][what] += next - at;
      at = next;
    }
  }

  void mark(base::Time at, StretchEnd how) {
    auto& list = how == StretchEnd::kStopped ? stops_ : failures_;
    const int column = column_of(at.value());
    if (list.empty() || list.back() != column) list.push_back(column);
  }

  std::string svg(const std::string& title) const {
    std::string html = fmt::format(
        "<svg viewBox=\"0 0 {} 16\" preserveAspectRatio=\"none\" role=\"img\"><title>{}</title>",
        kGanttColumns, escape_html(title));
    html += band(kWaits, "w", 7, 2) + band(kWorks, "k", 1, 14) + band(kLoses, "l", 9, 6);
    return html + lines(stops_, "s") + lines(failures_, "f") + "</svg>";
  }

 private:
  // The first millisecond of a column, rounded up: column_of is its inverse.
  std::int64_t begin_of(int column) const {
    return first_ + (length_ * column + kGanttColumns - 1) / kGanttColumns;
  }
  int column_of(std::int64_t at) const {
    const std::int64_t column = (at - first_) * kGanttColumns / length_;
    return static_cast<int>(std::clamp<std::int64_t>(column, 0, kGanttColumns - 1));
  }

  // What there was most of; a column in which there was anything is not empty.
  Doing in(int column) const {
    const auto& time = time_[static_cast<std::size_t>(column)];
    std::size_t most = kNothing;
    for (std::size_t i = kWaits; i < kDoings; ++i) {
      if (time[i] > 0 && (most == kNothing || time[i] >= time[most])) most = i;
    }
    return static_cast<Doing>(most);
  }

  std::string band(Doing what, const char* style, int top, int height) const {
    std::string path;
    for (int i = 0; i < kGanttColumns; ++i) {
      if (in(i) != what) continue;
      const int from = i;
      while (i + 1 < kGanttColumns && in(i + 1) == what) ++i;
      path += fmt::format("M{} {}h{}v{}h-{}z", from, top, i + 1 - from, height, i + 1 - from);
    }
    return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path);
  }

  static std::string lines(const std::vector<int>& columns, const char* style) {
    std::string path;
    for (const int column : columns) path += fmt::format("M{} 0v16", column);
    return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path);
  }

  std::int64_t first_;
  std::int64_t length_;
  std::array<std::array<std::int64_t, kDoings>, kGanttColumns> time_{};
  std::vector<int> stops_;
  std::vector<int> failures_;
};

// Of one job, by time.
struct Life {
  std::vector<Stretch> stretches;
  int stops = 0;
};

// In their order in `jobs`.
std::vector<Life> lives_of(const simulate::ReplayResult& result,
                           const std::vector<std::uint32_t>& jobs) {
  std::vector<std::size_t> place(result.jobs.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) place[jobs[i]] = i;
  std::vector<Life> lives(jobs.size());
  for (const Stretch& one : result.stretches) {
    if (place[one.job] == jobs.size()) continue;
    Life& life = lives[place[one.job]];
    life.stretches.push_back(one);
    if (one.how == StretchEnd::kStopped || one.how == StretchEnd::kNodeLost) ++life.stops;
  }
  return lives;
}

Row row_of(const simulate::ReplayResult& result, const JobRun& run, const Life& life) {
  Row row(result);
  const bool rejected = run.outcome == schedule::JobOutcome::kRejected;
  base::Time since = run.submitted;
  for (const Stretch& one : life.stretches) {
    row.add(since, one.start, kWaits);
    const base::Time works = one.start + one.restart;
    row.add(one.start, works, kLoses);
    row.add(works, works + one.kept, kWorks);
    row.add(works + one.kept, one.end, kLoses);
    if (one.how == StretchEnd::kStopped || one.how == StretchEnd::kNodeLost) {
      row.mark(one.end, one.how);
    }
    since = one.end;
  }
  if (!rejected) row.add(since, std::min(run.end, result.last), kWaits);
  return row;
}

double seconds(base::Duration time) { return static_cast<double>(time.value()) / 1000; }

std::string row_html(const SimulateRun& run, const JobRun& one, const Life& life) {
  const model::HistoricJob& job = run.variation->input.jobs->jobs[one.job];
  const bool started = one.first_start != schedule::kNever;
  const std::string wait = started
                               ? short_time(seconds(base::between(one.submitted, one.first_start)))
                           : one.rejected ? "rejected"
                                          : "–";
  const std::string ran = short_time(seconds(one.ran));
  const std::string lost = one.lost > base::Duration{0} ? short_time(seconds(one.lost)) : "–";
  const std::string stops = life.stops > 0 ? std::to_string(life.stops) : "–";
  const std::string gpus = grouped(model::gpus_of(job.job));
  const std::string title = fmt::format("{}: {} GPUs, waited {}, ran {}, {} breaks, lost {}",
                                        job.id, gpus, wait, ran, stops, lost);
  return fmt::format(
      "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td class=\"life\">{}</td>"
      "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      escape_html(shortened(job.id, 40)), escape_html(shortened(job.job.queue, 40)), gpus,
      row_of(run.result, one, life).svg(title), wait, ran, stops, lost);
}

std::string ticks_html(const simulate::ReplayResult& result) {
  const double length = seconds(base::between(result.first, result.last));
  std::string html;
  for (const Tick& tick : ticks_of(result.first, result.last)) {
    if (tick.at > 0.96 * length) continue;  // its text would stick out
    html += fmt::format("<span style=\"left:{:.2f}%\">{}</span>", 100 * tick.at / length,
                        escape_html(tick.label));
  }
  return html;
}

}  // namespace

std::vector<std::uint32_t> largest_jobs(const model::History& jobs, std::size_t most) {
  struct Size {
    std::int64_t gpu_time;
    std::uint32_t job;
  };
  std::vector<Size> sizes;
  for (std::uint32_t i = 0; i < jobs.jobs.size(); ++i) {
    const std::int64_t size = model::gpus_of(jobs.jobs[i].job) * jobs.jobs[i].run.value();
    if (size > 0) sizes.push_back({size, i});
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const Size& a, const Size& b) { return a.gpu_time > b.gpu_time; });
  sizes.resize(std::min(sizes.size(), most));
  std::vector<std::uint32_t> largest;
  for (const Size& one : sizes) largest.push_back(one.job);
  return largest;
}

std::string gantt_html(const SimulateRun& run, const std::vector<std::uint32_t>& jobs,
                       std::string_view caption) {
  std::string html =
      "<table class=\"gantt\"><caption>" + escape_html(caption) +
      "</caption><thead><tr><th scope=\"col\">Job, queue</th>"
      "<th scope=\"col\">GPUs</th><th scope=\"col\" class=\"life\"><span class=\"ticks\">" +
      ticks_html(run.result) +
      "</span></th><th scope=\"col\">Wait</th><th scope=\"col\">Ran</th>"
      "<th scope=\"col\">Breaks</th><th scope=\"col\">Lost</th></tr></thead>\n<tbody>\n";
  const std::vector<Life> lives = lives_of(run.result, jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    html += row_html(run, run.result.jobs[jobs[i]], lives[i]);
  }
  return html + "</tbody></table>\n";
}

}  // namespace headroom::cli

#include "formats/tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/csv.h"
#include "formats/job_codec.h"
#include "formats/message.h"

namespace headroom::formats {

using base::Result;
using model::Job;
using model::Task;
using model::TaskGroup;

namespace {

const CsvColumns kColumns{.required = {"name"},
                          .optional = {"tasks", "gpus", "cpus", "memory", "gpu_model", "gpu_memory",
                                       "labels", "exclusive"},
                          .quotes = true};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A cell as the value that stands under the same key in job.yaml.
Value cell_value(const std::string& key, std::string_view cell) {
  if (key == "gpu_model") {
    Value list = Value::list();
    for (std::string_view part : split(cell, '|')) list.items.push_back(Value::plain(part));
    return list;
  }
  if (key == "labels") {
    Value map = Value::map();
    for (std::string_view part : split(cell, ';')) {
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string_view value = part.substr(std::min(equals + 1, part.size()));
      map.set(std::string(part.substr(0, equals)), Value::string(value));
    }
    return map;
  }
  return Value::plain(cell);
}

// The row as the map that stands in `groups` of job.yaml, so that one table reads both.
Value row_value(const Csv& csv) {
  Value row = Value::map();
  for (std::size_t column = 0; column < 1 + kColumns.optional.size(); ++column) {
    const std::string& key = column == 0 ? kColumns.required[0] : kColumns.optional[column - 1];
    if (column > 0 && csv.field(column).empty()) continue;
    row.set(key, cell_value(key, csv.field(column)));
  }
  return row;
}

// Checks that `more` tasks may be added to `before`.
Result<void> check_room(std::int64_t before, std::int64_t more) {
  if (before + more <= kMostTasksOfAFile) return {};
  return base::fail(fmt::format("more than {} tasks", kMostTasksOfAFile));
}

std::int64_t elements(const Job& job) {
  return job.array ? job.array->last - job.array->first + 1 : 1;
}

// Appends the tasks of one group, named after `prefix`.
void add_tasks(const TaskGroup& group, const std::string& prefix, std::vector<Task>& tasks) {
  if (group.tasks == 1) {
    tasks.push_back({.name = prefix, .request = group.request});
    return;
  }
  const std::size_t width = std::to_string(group.tasks).size();  // so that names sort by number
  for (std::int64_t i = 1; i <= group.tasks; ++i) {
    tasks.push_back({.name = fmt::format("{}/{:0{}}", prefix, i, width), .request = group.request});
  }
}

Result<void> read_row(const Csv& csv, const Known& known, std::vector<Task>& tasks) {
  Problems problems("");
  Context context(problems, known);
  TaskGroup group;
  group_codec().read(row_value(csv), context, group);
  if (!problems.empty()) {
    const std::string all = problems.error().value().message;
    return csv.bad_row(all.substr(2, all.find('\n') - 2));  // without ": " of an unnamed file
  }
  const Result<void> room = check_room(static_cast<std::int64_t>(tasks.size()), group.tasks);
  if (!room) return csv.bad_row(room.error().message);
  add_tasks(group, group.name, tasks);
  return {};
}

void sort_by_name(std::vector<Task>& tasks) {
  const auto by_name = [](const Task& a, const Task& b) { return a.name < b.name; };
  std::stable_sort(tasks.begin(), tasks.end(), by_name);
}

}  // namespace

Result<Rows<std::vector<Task>>> read_tasks_csv(const std::string& name, const std::string& text,
                                               const Known& known, Strictness strictness) {
  Result<Csv> csv = Csv::open(name, text, kColumns);
  if (!csv) return tl::unexpected(csv.error());
  Rows<std::vector<Task>> rows;
  const auto parse = [&] { return read_row(*csv, known, rows.value); };
  if (auto done = for_each_row(*csv, strictness, rows, parse); !done) {
    return tl::unexpected(done.error());
  }
  sort_by_name(rows.value);
  return rows;
}

Result<std::vector<Task>> tasks_of(const std::vector<Job>& jobs) {
  std::int64_t total = 0;
  for (const Job& job : jobs) {
    const std::int64_t more = elements(job) * job.tasks();
    if (auto room = check_room(total, more); !room) return tl::unexpected(room.error());
    total += more;
  }
  std::vector<Task> tasks;
  tasks.reserve(static_cast<std::size_t>(total));
  for (const Job& job : jobs) {
    for (std::int64_t i = 0; i < elements(job); ++i) {
      const std::string base =
          job.array ? fmt::format("{}.{}", job.job, job.array->first + i) : job.job;
      for (const TaskGroup& group : job.groups) {
        add_tasks(group, group.name.empty() ? base : base + "/" + group.name, tasks);
      }
    }
  }
  sort_by_name(tasks);
  return tasks;
}

bool looks_like_tasks_csv(const std::string& text) {
  const std::string_view line = std::string_view(text).substr(0, text.find_first_of("\r\n"));
  const std::vector<std::string_view> titles = split(line, ',');
  return std::find(titles.begin(), titles.end(), "name") != titles.end();
}

}  // namespace headroom::formats

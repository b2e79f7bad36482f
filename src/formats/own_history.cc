#include "formats/own_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/csv.h"
#include "formats/history_codec.h"
#include "formats/json.h"
#include "formats/json_parser.h"
#include "formats/spelling.h"
#include "formats/text_rows.h"
#include "formats/utf8.h"
#include "formats/yaml.h"

namespace headroom::formats {

using base::Result;
using model::HistoricJob;
using model::History;

namespace {

// Keys of job.yaml that are columns of their own.
const std::vector<std::string>& job_columns() {
  static const std::vector<std::string> columns{
      "job",   "name",     "queue",        "user",      "kind",       "model",     "tasks",
      "gpus",  "cpus",     "memory",       "gpu_model", "gpu_memory", "exclusive", "gang",
      "array", "priority", "preemptible",  "time",      "expected",   "begin",     "deadline",
      "after", "retries",  "restart_cost", "hold",      "workdir",    "output",    "run"};
  return columns;
}

CsvColumns columns() {
  CsvColumns all{.required = {"submit"}, .quotes = true};
  for (const std::string& key : happened_keys()) {
    if (key != "submit") all.optional.push_back(key);
  }
  for (const std::string& key : job_columns()) all.optional.push_back(key);
  all.optional.push_back("more");
  return all;
}

bool is_list_column(const std::string& key) { return key == "gpu_model" || key == "after"; }

Value cell_value(const std::string& key, std::string_view cell, int line) {
  Value value = Value::plain(cell);
  if (is_list_column(key)) {
    value = Value::list();
    for (std::size_t at = 0; at <= cell.size();) {
      const std::size_t end = std::min(cell.find('|', at), cell.size());
      value.items.push_back(Value::plain(cell.substr(at, end - at)));
      value.items.back().line = line;
      at = end + 1;
    }
  }
  value.line = line;
  return value;
}

Result<Value> row_value(const Csv& csv, const std::string& name, const CsvColumns& titles) {
  Value row = Value::map();
  row.line = csv.line();
  const std::size_t count = titles.required.size() + titles.optional.size();
  for (std::size_t column = 0; column < count; ++column) {
    const std::string& key = column == 0 ? titles.required[0] : titles.optional[column - 1];
    const std::string_view cell = csv.field(column);
    if (find_bad_text(cell) != std::string_view::npos) {
      return csv.bad(column, "there are bytes that are not UTF-8 text");
    }
    if (cell.empty()) continue;
    if (key != "more") {
      row.set(key, cell_value(key, cell, csv.line()));
      continue;
    }
    const Result<Value> more = parse_json(name, cell, csv.line());
    if (!more) return csv.bad(column, more.error().message);
    if (!more->is_map()) return csv.bad(column, "it is not a JSON object");
    for (std::size_t i = 0; i < more->keys.size(); ++i) {
      if (row.find(more->keys[i]) != nullptr) {
        return csv.bad(column, fmt::format("{} has a column of its own", more->keys[i]));
      }
      row.set(more->keys[i], more->items[i]);
    }
  }
  return row;
}

// Adds a job; ids stay unique.
Result<void> add_job(const std::string& name, const Value& value, const Known& known,
                     History& history) {
  const auto position =
      static_cast<std::int64_t>(history.jobs.size()) + history.rows_left_out() + 1;
  Result<HistoricJob> one = read_historic_job(name, value, position, known);
  if (!one) return tl::unexpected(one.error());
  history.jobs.push_back(std::move(*one));
  return {};
}

Result<History> finished(const std::string& name, History history) {
  history.format = "headroom";
  if (Result<void> done = check_history(name, history); !done) return tl::unexpected(done.error());
  history.sort_jobs();
  return history;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    cell += c;
    if (c == '"') cell += c;
  }
  return cell + "\"";
}

// A value as a cell, or nothing when it has to stand in `more`.
std::optional<std::string> cell_of(const std::string& key, const Value& value) {
  std::string text = value.text;
  if (is_list_column(key) && value.is_list()) {
    for (const Value& item : value.items) {
      text += (text.empty() ? "" : "|") + item.text;
      if (item.text.find('|') != std::string::npos) return std::nullopt;
    }
  } else if (!value.is_scalar()) {
    return std::nullopt;
  }
  const bool fits = !text.empty() && text.find_first_of("\n\r") == std::string::npos;
  return fits ? std::optional(text) : std::nullopt;
}

}  // namespace

Result<History> read_history_csv(const std::string& name, const std::string& text,
                                 const Known& known, Strictness strictness) {
  const CsvColumns titles = columns();
  Result<Csv> csv = Csv::open(name, text, titles);
  if (!csv) return tl::unexpected(csv.error());
  History history;
  while (true) {
    const Result<bool> more = csv->next();
    if (more && !*more) return finished(name, std::move(history));
    const Result<Value> row = more ? row_value(*csv, name, titles) : tl::unexpected(more.error());
    Result<void> done = row ? add_job(name, *row, known, history) : tl::unexpected(row.error());
    if (!done) done = bad_history_row(done.error().message, strictness, history);
    if (!done) return tl::unexpected(done.error());
  }
}

Result<History> read_history_jsonl(const std::string& name, const std::string& text,
                                   const Known& known, Strictness strictness) {
  History history;
  for (std::size_t at = 0, line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto bad = [&](std::string_view what) {
      return base::fail(fmt::format("{}:{}: {}", name, line, what));
    };
    Result<void> done;
    if (end == text.size()) {
      done = bad("the file ends in the middle of a line (no newline at the end)");
    } else if (find_bad_text(row) != std::string_view::npos) {
      done = bad("there are bytes that are not UTF-8 text");
    } else {
      const Result<Value> value = parse_json(name, row, static_cast<int>(line));
      done = value ? add_job(name, *value, known, history) : tl::unexpected(value.error());
    }
    if (!done) done = bad_history_row(done.error().message, strictness, history);
    if (!done) return tl::unexpected(done.error());
  }
  return finished(name, std::move(history));
}

Result<History> read_history_yaml(const std::string& name, const std::string& text,
                                  const Known& known) {
  Problems problems(name);
  const std::vector<Value> documents = parse_yaml(text, problems);
  if (!problems.empty()) return problems.error();
  History history;
  for (const Value& document : documents) {
    const std::vector<Value> one{document};
    for (const Value& value : document.is_list() ? document.items : one) {
      if (Result<void> done = add_job(name, value, known, history); !done) {
        return tl::unexpected(done.error());
      }
    }
  }
  return finished(name, std::move(history));
}

std::string write_history_csv(const History& history) {
  std::vector<std::string> keys = happened_keys();
  keys.insert(keys.end(), job_columns().begin(), job_columns().end());
  std::vector<Value> rows;
  std::vector<bool> used(keys.size(), false);
  for (const HistoricJob& one : history.jobs) rows.push_back(write_historic_job(one));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    used[i] = std::any_of(rows.begin(), rows.end(), [&](const Value& row) {
      const Value* const value = row.find(keys[i]);
      return value != nullptr && cell_of(keys[i], *value);
    });
  }
  std::string out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (used[i]) out += keys[i] + ",";
  }
  if (out.empty()) return "id,submit,more\n";
  out += "more\n";
  for (const Value& row : rows) {
    Value more = Value::map();
    std::vector<std::string> cells(keys.size());
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      const auto key = std::find(keys.begin(), keys.end(), row.keys[i]);
      const std::optional<std::string> cell =
          key == keys.end() ? std::nullopt : cell_of(*key, row.items[i]);
      if (cell) {
        cells[static_cast<std::size_t>(key - keys.begin())] = *cell;
      } else {
        more.set(row.keys[i], row.items[i]);
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (used[i]) out += csv_cell(cells[i]) + ",";
    }
    if (!more.keys.empty()) out += csv_cell(print_json_line(more));
    out += "\n";
  }
  return out;
}

std::string write_history_jsonl(const History& history) {
  std::string out;
  for (const HistoricJob& one : history.jobs) {
    out += print_json_line(write_historic_job(one)) + "\n";
  }
  return out;
}

std::string write_history_yaml(const History& history) {
  Value list = Value::list();
  for (const HistoricJob& one : history.jobs) list.items.push_back(write_historic_job(one));
  return print_yaml(list);
}

bool looks_like_history_csv(std::string_view text) {
  const std::string line = "," + std::string(text.substr(0, text.find_first_of("\r\n"))) + ",";
  return line.find(",submit,") != std::string::npos;
}

bool looks_like_history_jsonl(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with('{') && line.find("\"submit\"") != std::string_view::npos;
}

}  // namespace headroom::formats

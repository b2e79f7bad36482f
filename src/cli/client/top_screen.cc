#include "cli/client/top_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/client/job_table.h"
#include "cli/client/output.h"
#include "cli/client/queue_rows.h"
#include "cli/table.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

using Style = TopLine::Style;

double number(const Json& document, const char* key) {
  const Json* const value = field_at(document, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}

struct Capacity {
  double gpus = 0;  // of nodes in service
  double free = 0;
  double out = 0;  // of nodes that are not
  std::size_t nodes = 0;
  std::size_t nodes_out = 0;
};

Capacity capacity_of(const std::vector<Json>& nodes) {
  Capacity all;
  for (const Json& node : nodes) {
    const std::string state = text_of(node, "state");
    const bool serves = state == "ready";
    ++all.nodes;
    if (!serves) ++all.nodes_out;
    (serves ? all.gpus : all.out) += number(node, "gpus");
    if (serves) all.free += number(node, "gpus_free");
  }
  return all;
}

std::string plain_number(double value) {
  const bool is_whole = std::abs(value - std::round(value)) < 0.0005;
  return is_whole ? grouped(static_cast<std::int64_t>(std::round(value)))
                  : fmt::format("{:.2f}", value);
}

void add_table(std::vector<TopLine>& lines, const Table& table, std::size_t width) {
  const std::string text = table.render({.width = width});
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back({text.substr(at, end - at), first ? Style::kTitle : Style::kPlain});
    first = false;
    at = end + 1;
  }
}

void add_queues(std::vector<TopLine>& lines, const std::vector<Json>& queues, std::size_t width) {
  Table table({{"QUEUE", true},
               {"POOL", true},
               {"GUARANTEE"},
               {"LIMIT"},
               {"HELD"},
               {"BORROWED"},
               {"WANTED"},
               {"RUNNING"},
               {"WAITING"}});
  for (const Json& queue : queue_rows(queues)) {
    const auto cell = [&](const char* key) { return cell_text(field_at(queue, key)); };
    table.add_row({text_of(queue, "name"), cell("pool"), cell("guarantee"), cell("limit"),
                   cell("held"), cell("borrowed"), cell("wanted"), cell("running"),
                   cell("waiting")});
  }
  add_table(lines, table, width);
}

bool waits(const Json& job) {
  const std::string state = text_of(job, "state");
  return state == "waiting" || state == "held";
}

// The jobs that fit below what is there: waiting ones first, then those that run.
void add_jobs(std::vector<TopLine>& lines, const TopDocuments& documents, const TopView& view) {
  std::vector<const Json*> jobs;
  for (const bool waiting : {true, false}) {
    for (const Json& job : documents.jobs) {
      if (waits(job) == waiting) jobs.push_back(&job);
    }
  }
  const std::size_t room = view.height == 0                 ? jobs.size()
                           : view.height > lines.size() + 1 ? view.height - lines.size() - 1
                                                            : 0;
  const std::size_t from = std::min(view.scroll, jobs.size() - std::min(jobs.size(), room));
  Table table({{"ID", true},
               {"NAME", true},
               {"QUEUE", true},
               {"USER", true},
               {"STATE", true},
               {"GPUS"},
               {"TIME"},
               {"NODES (REASON)", true}});
  for (std::size_t i = from; i < std::min(jobs.size(), from + room); ++i) {
    const Json& job = *jobs[i];
    table.add_row({text_of(job, "id"), text_of(job, "name"), text_of(job, "queue"),
                   text_of(job, "user"), text_of(job, "state"), gpus_cell(job), time_cell(job),
                   place_or_reason(job)});
  }
  add_table(lines, table, view.width);
}

}  // namespace

std::string bar(double part, std::size_t width) {
  const double inside = std::clamp(part, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::lround(inside * static_cast<double>(width)));
  return fmt::format("[{}{}] {:3.0f} %", std::string(filled, '#'), std::string(width - filled, '-'),
                     inside * 100);
}

std::vector<TopLine> top_screen(const TopDocuments& documents, const TopView& view) {
  const Capacity all = capacity_of(documents.nodes);
  const auto waiting =
      static_cast<std::int64_t>(std::count_if(documents.jobs.begin(), documents.jobs.end(), waits));
  std::vector<TopLine> lines;
  const auto add = [&](const std::string& text, Style style) {
    lines.push_back({shortened(printable(text), view.width), style});
  };
  add(fmt::format("headroom {}   nodes {}   running {}   waiting {}",
                  text_of(documents.status, "cluster"), all.nodes,
                  grouped(static_cast<std::int64_t>(documents.jobs.size()) - waiting),
                  grouped(waiting)),
      Style::kTitle);
  const double used = all.gpus - all.free;
  add(fmt::format("GPUs {}  {} of {} allocated, {} free",
                  bar(all.gpus > 0 ? used / all.gpus : 0, 30), plain_number(used),
                  plain_number(all.gpus), plain_number(all.free)),
      Style::kGood);
  if (all.nodes_out > 0) {
    add(fmt::format("out of service: {} node{}, {} GPUs", all.nodes_out,
                    all.nodes_out == 1 ? "" : "s", plain_number(all.out)),
        Style::kWarning);
  }
  lines.push_back({});
  add_queues(lines, documents.queues, view.width);
  lines.push_back({});
  add_jobs(lines, documents, view);
  if (view.height > 0 && lines.size() > view.height) lines.resize(view.height);
  return lines;
}

}  // namespace headroom::cli

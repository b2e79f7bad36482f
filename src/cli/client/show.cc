// headroom show: one job: what it asked for, where it ran, what happened to it.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/job_table.h"
#include "cli/client/values.h"
#include "cli/client_verbs.h"
#include "cli/text.h"
#include "formats/yaml.h"

namespace headroom::cli {

namespace {

struct ShowOptions {
  ServerFlags server;
  OutputFlags output;
  std::string id;
};

void add_line(std::string& text, const std::string& name, const std::string& value) {
  if (value.empty() || value == "-") return;
  text += fmt::format("{:<11} {}\n", name, printable(value));
}

std::string moment(const Json& document, const char* key) {
  const auto time = time_of(text_of(document, key));
  return time ? full_local_time(*time) : "";
}

std::string outcome(const Json& job) {
  std::string text = text_of(job, "state");
  for (const auto& [key, word] :
       {std::pair{"exit_code", "exit code"}, std::pair{"signal", "signal"}}) {
    const Json* const value = field_at(job, key);
    if (value != nullptr && value->is_number() && value->get<int>() != 0) {
      text += fmt::format(", {} {}", word, value->get<int>());
    }
  }
  return text;
}

// "2026-11-30 12:00:05  started   node n1"
std::string timeline(const Json& job) {
  const Json* const events = field_at(job, "timeline");
  if (events == nullptr || events->empty()) return "";
  std::string text = "\nTimeline\n";
  for (const Json& event : *events) {
    const std::string detail = text_of(event, "detail");
    text += fmt::format("  {}  {}{}\n", moment(event, "time"), printable(text_of(event, "event")),
                        detail.empty() ? "" : ": " + printable(detail));
  }
  return text;
}

// "h1:0,1,2,3 h2:0,1,2,3": the nodes of an attempt, with the GPUs there.
std::string places(const Json& attempt) {
  std::string text;
  const Json* const tasks = field_at(attempt, "tasks");
  if (tasks == nullptr) return text;
  for (const Json& task : *tasks) {
    const Json* const gpus = field_at(task, "gpus");
    text += (text.empty() ? "" : " ") + text_of(task, "node");
    if (gpus != nullptr && !gpus->empty()) text += ":" + cell_text(gpus);
  }
  return text;
}

std::string attempts(const Json& job) {
  const Json* const list = field_at(job, "attempts");
  if (list == nullptr || list->empty()) return "";
  std::string text = "\nAttempts\n";
  for (const Json& one : *list) {
    const std::string started = moment(one, "started");
    const std::string ended = moment(one, "ended");
    const std::string detail = text_of(one, "detail");
    text += fmt::format("  {}  {} to {}  {}  {}{}\n", cell_text(field_at(one, "attempt")),
                        started.empty() ? moment(one, "placed") : started,
                        ended.empty() ? "now" : ended, printable(text_of(one, "outcome")),
                        printable(places(one)), detail.empty() ? "" : "  " + printable(detail));
  }
  return text;
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += "  " + printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return result;
}

// As a job.yaml; what it runs, often a script of many lines, as it is.
std::string spec(const Json& job) {
  const Json* const document = field_at(job, "spec");
  if (document == nullptr || !document->is_object()) return "";
  Json keys = *document;
  const std::string run = text_of(keys, "run");
  keys.erase("run");
  std::string text = "\nSpecification\n" + indented(formats::print_yaml(to_value(keys)));
  return run.empty() ? text : text + "\nRuns\n" + indented(run);
}

std::string job_text(const Json& job) {
  std::string text;
  add_line(text, "job", text_of(job, "id") + "  " + text_of(job, "name"));
  add_line(text, "state", outcome(job));
  const Json* const reason = field_at(job, "reason.text");
  add_line(text, "reason", cell_text(reason));
  for (const char* key : {"queue", "user", "kind", "priority", "tasks"}) {
    add_line(text, key, cell_text(field_at(job, key)));
  }
  add_line(text, "GPUs", gpus_cell(job));
  add_line(text, "submitted", moment(job, "submitted"));
  add_line(text, "started", moment(job, "started"));
  add_line(text, "ended", moment(job, "ended"));
  add_line(text, "nodes", cell_text(field_at(job, "nodes")));
  return text + attempts(job) + timeline(job) + spec(job);
}

int run_show(const ShowOptions& options) {
  return with_client(options.server, [&](Client& client) {
    const Reply<Json> job = client.get("/jobs/" + url_encoded(options.id));
    if (!job) return fail_with(job.error());
    return put(options.output.is_table() ? job_text(*job) : document_text(*job, options.output));
  });
}

}  // namespace

Command show_command() {
  const auto options = std::make_shared<ShowOptions>();
  std::vector<Flag> flags{{"id", "ID", "the job", &options->id, true}};
  flags = joined(std::move(flags), output_flags(options->output, false));
  return {
      .name = "show",
      .summary = "Show one job: its request, places, attempts and timeline",
      .flags = joined(std::move(flags), server_flags(options->server)),
      .examples = {{"show \"$(headroom submit -q production --parsable -H -- true)\"", "a job"}},
      .run = [options] { return run_show(*options); }};
}

}  // namespace headroom::cli

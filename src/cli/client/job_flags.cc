#include "cli/client/job_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "cli/client/values.h"
#include "formats/file.h"
#include "formats/message.h"
#include "formats/slurm_values.h"
#include "formats/yaml.h"

namespace headroom::cli {

using base::Result;
using formats::Value;

namespace {

struct KeyFlag {
  const char* flag;
  const char* placeholder;
  const char* help;
  const char* key;  // of job.yaml
};

constexpr KeyFlag kKeyFlags[] = {
    {"-J,--name", "NAME", "short name; default: of the file or the command", "job"},
    {"-q,--queue", "QUEUE", "full path, as research/vision", "queue"},
    {"--kind", "KIND", "training, fine-tuning, batch, service or workspace", "kind"},
    {"-n,--tasks", "N", "equal tasks", "tasks"},
    {"-G,--gpus", "GPUS", "of a task: 8, 250m, 20GiB or 2g.20gb", "gpus"},
    {"--gpu-model", "NAME,...", "products that will do, as H100", "gpu_model"},
    {"-c,--cpus", "N", "of a task", "cpus"},
    {"-m,--memory", "SIZE", "of a task, as 64GiB", "memory"},
    {"-t,--time", "TIME", "limit: 30min, 4h, 1-12:00:00", "time"},
    {"-p,--priority", "N", "among the jobs of the queue", "priority"},
    {"-a,--array", "A-B%N", "that many jobs, N at a time", "array"},
    {"-d,--after", "ID,...", "jobs to wait for: 12, ok:12, any:12, failed:12, started:12", "after"},
    {"--begin", "TIME", "not before, as 2026-12-01T08:00Z", "begin"},
    {"--deadline", "TIME", "", "deadline"},
    {"--retries", "N", "after a failure", "retries"},
    {"-D,--workdir", "DIR", "working folder; default of a script or command: this one", "workdir"},
    {"--output", "FILE", "where what it prints goes besides the log (%j: id, %x: name, %t: rank)",
     "output"},
};

std::vector<std::string_view> list_of(std::string_view text) {
  return formats::split_outside(text, ',');
}

// What a flag's text is in a document.
Value value_of(const std::string& key, const std::string& text) {
  if (key == "gpu_model" || key == "after") {
    Value list = Value::list();
    for (const std::string_view one : list_of(text)) {
      const bool is_number = one.find_first_not_of("0123456789") == std::string_view::npos;
      list.items.push_back(
          Value::string((key == "after" && is_number ? "ok:" : "") + std::string(one)));
    }
    return list;
  }
  const bool is_text = key == "workdir" || key == "output" || key == "job" || key == "queue";
  return is_text ? Value::string(text) : Value::plain(text);
}

Result<void> add_env(Value& document, const std::vector<std::string>& env) {
  if (env.empty()) return {};
  const Value* const there = document.find("env");
  Value map = there != nullptr && there->is_map() ? *there : Value::map();
  for (const std::string& one : env) {
    const std::size_t equals = one.find('=');
    const std::string name = one.substr(0, equals);
    if (equals != std::string::npos && equals > 0) {
      map.set(name, Value::string(one.substr(equals + 1)));
      continue;
    }
    const char* const here = std::getenv(one.c_str());
    if (here == nullptr) {
      return base::fail(fmt::format("--env: {} is not NAME=VALUE, nor a variable that is set here",
                                    formats::shown(one)));
    }
    map.set(name, Value::string(here));
  }
  document.set("env", std::move(map));
  return {};
}

// key=value and key.part=value; the value is YAML.
Result<void> add_setting(Value& document, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  formats::Problems problems("--set");
  std::vector<Value> values;
  if (equals != std::string::npos && equals > 0) {
    values = formats::parse_yaml(setting.substr(equals + 1) + "\n", problems);
  }
  if (!problems.empty()) return tl::unexpected(problems.error().value());
  if (values.size() != 1) {
    return base::fail(fmt::format("--set: {} is not KEY=VALUE", formats::shown(setting)));
  }
  const std::string path = setting.substr(0, equals);
  const std::size_t point = path.find('.');
  const std::string key = path.substr(0, point);
  if (point == std::string::npos) {
    document.set(key, values[0]);
    return {};
  }
  const Value* const there = document.find(key);
  Value part = there != nullptr && there->is_map() ? *there : Value::map();
  part.set(path.substr(point + 1), values[0]);
  document.set(key, std::move(part));
  return {};
}

// The flags on top of a document. Returns whether there were any.
Result<bool> add_flags(const JobFlags& flags, Value& document) {
  bool changed = flags.hold || flags.exclusive || !flags.env.empty() || !flags.settings.empty();
  for (const KeyFlag& one : kKeyFlags) {
    const std::string& text = flags.keys.at(one.key);
    if (text.empty()) continue;
    document.set(one.key, value_of(one.key, text));
    changed = true;
  }
  if (flags.hold) document.set("hold", Value::boolean(true));
  if (flags.exclusive) document.set("exclusive", Value::boolean(true));
  if (const auto done = add_env(document, flags.env); !done) return tl::unexpected(done.error());
  for (const std::string& setting : flags.settings) {
    const auto done = add_setting(document, setting);
    if (!done) return tl::unexpected(done.error());
  }
  return changed;
}

std::string here() {
  char folder[PATH_MAX] = "";
  return getcwd(folder, sizeof folder) == nullptr ? "" : folder;
}

void set_default(Value& document, const std::string& key, const std::string& text) {
  if (!text.empty() && document.find(key) == nullptr) document.set(key, Value::string(text));
}

// Words as the shell needs them to be the same words again.
std::string shell_text(const std::vector<std::string>& words) {
  // A single word is a command line of its own: submit -- 'a && b'.
  if (words.size() == 1) return words[0];
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%") == std::string::npos;
    text += text.empty() ? "" : " ";
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

Result<JobSource> read_command(const JobFlags& flags) {
  Value document = Value::map();
  const std::string& first = flags.command.front();
  const std::string name = first.substr(0, first.find(' '));
  document.set("job", Value::string(formats::clean_name(name.substr(name.rfind('/') + 1), "job")));
  document.set("run", Value::string(shell_text(flags.command)));
  set_default(document, "workdir", here());
  if (const auto done = add_flags(flags, document); !done) return tl::unexpected(done.error());
  return JobSource{.jobs = {{"the command line", formats::print_yaml(document)}}};
}

// The name of the time zone that the clock of this machine shows.
std::string local_zone() {
  if (const char* zone = std::getenv("TZ"); zone != nullptr && zone[0] != 0) {
    return zone[0] == ':' ? zone + 1 : zone;
  }
  char target[PATH_MAX] = "";
  const ssize_t length = readlink("/etc/localtime", target, sizeof target - 1);
  const std::string path(target, length > 0 ? static_cast<std::size_t>(length) : 0);
  constexpr std::string_view kFolder = "zoneinfo/";
  const std::size_t at = path.find(kFolder);
  return at == std::string::npos ? "" : path.substr(at + kFolder.size());
}

Result<JobSource> read_script(const JobFlags& flags, const std::string& text) {
  const auto queue = flags.queue_from == "partition" ? formats::QueueSource::kPartition
                     : flags.queue_from == "qos"     ? formats::QueueSource::kQos
                                                     : formats::QueueSource::kAccount;
  auto script = formats::read_batch_script(
      flags.file, text, {.queue = queue, .time_zone = local_zone(), .now = now()});
  if (!script) return tl::unexpected(script.error());
  set_default(script->document, "workdir", here());
  if (const auto done = add_flags(flags, script->document); !done) {
    return tl::unexpected(done.error());
  }
  return JobSource{.jobs = {{flags.file, formats::print_yaml(script->document)}},
                   .is_script = true,
                   .script = std::move(*script)};
}

Result<JobSource> read_yaml(const JobFlags& flags, const std::string& text) {
  formats::Problems problems(flags.file);
  std::vector<Value> documents;
  for (Value& document : formats::parse_yaml(text, problems)) {
    if (!document.is_list()) {
      documents.push_back(std::move(document));
      continue;
    }
    for (Value& one : document.items) documents.push_back(std::move(one));
  }
  if (problems.empty() && documents.empty()) problems.add(0, "", "there is no job in the file");
  if (!problems.empty()) return tl::unexpected(problems.error().value());
  JobSource source;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (!documents[i].is_map()) {
      return base::fail(
          fmt::format("{}:{}: a job is a map of keys", flags.file, documents[i].line));
    }
    const Result<bool> changed = add_flags(flags, documents[i]);
    if (!changed) return tl::unexpected(changed.error());
    const bool alone = documents.size() == 1;
    // As it stands where that is possible, so that lines in messages are the file's.
    source.jobs.push_back({alone ? flags.file : fmt::format("{}, job {}", flags.file, i + 1),
                           alone && !*changed ? text : formats::print_yaml(documents[i])});
  }
  return source;
}

}  // namespace

std::vector<Flag> job_flags(JobFlags& flags) {
  std::vector<Flag> table{
      {"file", "FILE", "a job.yaml, or a script with #SBATCH or #HR lines", &flags.file}};
  for (const KeyFlag& one : kKeyFlags) {
    table.push_back({one.flag, one.placeholder, one.help, &flags.keys[one.key]});
  }
  table.push_back({.name = "--env",
                   .placeholder = "NAME=VALUE",
                   .help = "a variable; NAME alone: its value here",
                   .target = &flags.env,
                   .splits = false});
  table.push_back({.name = "--set",
                   .placeholder = "KEY=VALUE",
                   .help = "any key of job.yaml, as checkpoint.every=30min",
                   .target = &flags.settings,
                   .splits = false});
  table.push_back({"-H,--hold", "", "do not start before it is released", &flags.hold});
  table.push_back({"--exclusive", "", "no other job on its nodes", &flags.exclusive});
  table.push_back({"--queue-from",
                   "WHAT",
                   "of a script: which flag of sbatch names the queue",
                   &flags.queue_from,
                   false,
                   {"account", "partition", "qos"}});
  return table;
}

Result<JobSource> read_job_source(const JobFlags& flags) {
  if (!flags.command.empty()) {
    if (!flags.file.empty()) return base::fail("a FILE and a command behind --: only one of them");
    return read_command(flags);
  }
  if (flags.file.empty()) return base::fail("a FILE is needed, or a command behind --");
  const Result<std::string> text = formats::read_file(flags.file, formats::kLargestYaml);
  if (!text) return tl::unexpected(text.error());
  return formats::is_batch_script(*text) ? read_script(flags, *text) : read_yaml(flags, *text);
}

std::string explained(const formats::BatchScript& script, const std::string& path) {
  std::string text;
  for (const formats::BatchLine& line : script.mapped) {
    text += fmt::format("{}:{}: {} -> {}\n", path, line.line, line.flag, line.says);
  }
  for (const formats::BatchLine& line : script.dropped) {
    text += fmt::format("{}:{}: {} dropped: {}\n", path, line.line, line.flag, line.says);
  }
  for (const std::string& note : script.notes) text += fmt::format("{}: {}\n", path, note);
  return text;
}

}  // namespace headroom::cli

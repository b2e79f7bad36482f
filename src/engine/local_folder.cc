#include "engine/local_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "engine/local_plan.h"

namespace headroom::engine {

namespace {

using Json = nlohmann::json;

constexpr const char* kKindNames[] = {"started", "task-ended", "ended", "launch-failed", "lost"};
constexpr std::int64_t kJobsPerLogFolder = 1000;

}  // namespace

base::Result<void> LocalFolder::make() const {
  for (const char* name : {"live", "ring", "new", "trash", "logs"}) {
    if (auto made = make_folder(at(name)); !made) return made;
  }
  return {};
}

std::string LocalFolder::logs(const model::AllocationId& id) const {
  return at(fmt::format("logs/{}/{}", id.job.number / kJobsPerLogFolder, allocation_name(id)));
}

bool is_end(Report::Kind kind) {
  return kind == Report::Kind::kEnded || kind == Report::Kind::kLaunchFailed ||
         kind == Report::Kind::kLost;
}

std::string print_report_line(const ReportLine& line) {
  Json one;
  if (line.begun) {
    one = {{"kind", "begun"}, {"pid", line.pid}};
  } else {
    const Report& report = line.report;
    one = {{"kind", kKindNames[static_cast<int>(report.kind)]},
           {"epoch", report.epoch},
           {"group", report.group},
           {"task", report.task},
           {"exit_code", report.exit_code},
           {"signal", report.signal},
           {"out_of_memory", report.out_of_memory},
           {"timed_out", report.timed_out},
           {"stopped", report.stopped},
           {"detail", report.detail}};
  }
  return one.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<ReportLines> parse_report_lines(std::string_view text, const model::AllocationId& id) {
  ReportLines result;
  while (true) {
    const std::size_t end = text.find('\n', result.bytes);
    if (end == std::string_view::npos) return result;
    try {
      const Json one = Json::parse(text.substr(result.bytes, end - result.bytes));
      ReportLine line;
      const auto kind = one.at("kind").get<std::string>();
      if (kind == "begun") {
        line.begun = true;
        one.at("pid").get_to(line.pid);
      } else {
        Report& report = line.report;
        report.id = id;
        int index = 0;
        for (; index < 5 && kind != kKindNames[index];) ++index;
        if (index == 5) return base::fail(fmt::format("reports: unknown kind '{}'", kind));
        report.kind = static_cast<Report::Kind>(index);
        one.at("epoch").get_to(report.epoch);
        one.at("group").get_to(report.group);
        one.at("task").get_to(report.task);
        one.at("exit_code").get_to(report.exit_code);
        one.at("signal").get_to(report.signal);
        one.at("out_of_memory").get_to(report.out_of_memory);
        one.at("timed_out").get_to(report.timed_out);
        one.at("stopped").get_to(report.stopped);
        one.at("detail").get_to(report.detail);
      }
      result.lines.push_back(std::move(line));
    } catch (const Json::exception& error) {
      return base::fail(fmt::format("reports: a line is damaged: {}", error.what()));
    }
    result.bytes = end + 1;
  }
}

std::string print_order(const Stop& stop) {
  return Json{
      {"epoch", stop.epoch}, {"checkpoint", stop.checkpoint}, {"grace_ms", stop.grace.value()}}
      .dump();
}

base::Result<Stop> parse_order(const std::string& text) {
  try {
    const Json one = Json::parse(text);
    Stop stop;
    one.at("epoch").get_to(stop.epoch);
    one.at("checkpoint").get_to(stop.checkpoint);
    stop.grace = base::Duration{one.at("grace_ms").get<std::int64_t>()};
    return stop;
  } catch (const Json::exception& error) {
    return base::fail(fmt::format("order: damaged: {}", error.what()));
  }
}

base::Result<Fd> try_lock(const std::string& path) {
  Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return tl::unexpected(system_error("open " + path));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) return Fd{};
  return tl::unexpected(system_error("lock " + path));
}

}  // namespace headroom::engine

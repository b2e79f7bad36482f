#include "engine/report_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace headroom::engine {

using base::Result;

namespace {

constexpr int kTryAgainMs = 200;

}  // namespace

Result<ReportFile> ReportFile::open(const std::string& path, std::string ring,
                                    const model::AllocationId& id) {
  ReportFile result;
  result.ring_ = std::move(ring);
  result.file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!result.file_.valid()) return tl::unexpected(system_error("open " + path));
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto known = parse_report_lines(*text, id);
  if (!known) return tl::unexpected(known.error());
  for (const ReportLine& line : known->lines) {
    result.begun_ |= line.begun;
    result.ended_ |= !line.begun && is_end(line.report.kind);
  }
  result.size_ = known->bytes;
  if (known->bytes < text->size() &&
      ftruncate(result.file_.get(), static_cast<off_t>(known->bytes)) != 0)
    return tl::unexpected(system_error("cut " + path));
  return result;
}

Result<void> ReportFile::try_append(const ReportLine& line) {
  const std::string text = print_report_line(line);
  const bool durable = !line.begun && line.report.kind != Report::Kind::kStarted;
  auto written = write_all(file_.get(), text);
  if (written && durable && fdatasync(file_.get()) != 0)
    written = tl::unexpected(system_error("make a report durable"));
  if (!written) {
    (void)ftruncate(file_.get(), static_cast<off_t>(size_));
    return written;
  }
  size_ += text.size();
  Fd ring(::open(ring_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return {};
}

void ReportFile::append(const ReportLine& line) {
  while (!try_append(line)) poll(nullptr, 0, kTryAgainMs);
}

}  // namespace headroom::engine

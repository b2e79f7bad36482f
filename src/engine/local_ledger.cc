#include "engine/local_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

namespace headroom::engine {

using base::Result;

namespace {

constexpr std::size_t kRewriteAt = 1 << 20;  // bytes; and twice what is needed

std::string line_of(const std::string& name, const LocalLedger::Entry& entry) {
  return fmt::format("{} {} {}\n", name, entry.epoch, entry.boot);
}

}  // namespace

Result<void> LocalLedger::open(std::string path) {
  path_ = std::move(path);
  if (exists(path_)) {
    const auto text = read_file(path_);
    if (!text) return tl::unexpected(text.error());
    std::istringstream lines(text->substr(0, text->rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name;
      Entry entry;
      words >> name;
      if (words >> entry.epoch >> entry.boot) {
        entries_[name] = entry;
      } else {
        entries_.erase(name);
      }
    }
  }
  return rewrite();
}

Result<void> LocalLedger::rewrite() {
  std::string text;
  for (const auto& [name, entry] : entries_) text += line_of(name, entry);
  if (auto written = replace_file(path_, text, true); !written) return written;
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file_.valid()) return tl::unexpected(system_error("open " + path_));
  size_ = text.size();
  return {};
}

Result<void> LocalLedger::append(const std::string& lines, bool durable) {
  auto written = write_all(file_.get(), lines);
  if (written && durable && fdatasync(file_.get()) != 0)
    written = tl::unexpected(system_error("make durable " + path_));
  if (!written) {
    (void)ftruncate(file_.get(), static_cast<off_t>(size_));
    return written;
  }
  size_ += lines.size();
  return {};
}

Result<void> LocalLedger::add(const std::vector<std::pair<std::string, Entry>>& launched) {
  std::string lines;
  for (const auto& [name, entry] : launched) lines += line_of(name, entry);
  if (auto written = append(lines, true); !written) return written;
  for (const auto& [name, entry] : launched) entries_[name] = entry;
  return {};
}

void LocalLedger::forget(const std::string& name) {
  entries_.erase(name);
  (void)append(name + "\n", false);
  constexpr std::size_t kLongestLine = 128;
  if (size_ > kRewriteAt && size_ > 2 * kLongestLine * entries_.size()) (void)rewrite();
}

}  // namespace headroom::engine

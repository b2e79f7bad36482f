#include "engine/local_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <vector>

#include "engine/local_folder.h"
#include "engine/local_plan.h"

namespace headroom::engine {

using base::fail;
using base::Result;

namespace {

constexpr std::size_t kDigits = 20;

// The first bytes of a rank's segments, in order.
std::vector<std::int64_t> segments_of(const std::string& folder, std::int64_t rank) {
  std::vector<std::int64_t> found;
  const std::string prefix = fmt::format("{}.", rank);
  const auto names = names_in(folder);
  if (!names) return found;
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kDigits) continue;
    std::int64_t first = 0;
    const char* end = name.data() + name.size();
    const auto [parsed, error] = std::from_chars(name.data() + prefix.size(), end, first);
    if (error == std::errc{} && parsed == end) found.push_back(first);
  }
  return found;  // names are sorted, and the numbers have equal length
}

std::string segment_path(const std::string& folder, std::int64_t rank, std::int64_t first) {
  return fmt::format("{}/{}.{:020}", folder, rank, first);
}

std::int64_t size_of(const std::string& path) {
  struct stat about{};
  return lstat(path.c_str(), &about) == 0 ? about.st_size : 0;
}

// Reads a part of one segment; short at its end.
Result<std::string> read_segment(const std::string& path, std::int64_t from, std::int64_t most) {
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return tl::unexpected(system_error("open " + path));
  std::string bytes(static_cast<std::size_t>(most), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = pread(file.get(), bytes.data() + have, bytes.size() - have,
                              from + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(system_error("read " + path));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

base::Error no_log(const model::AllocationId& id, std::int64_t rank) {
  return base::Error{
      fmt::format("job {} (attempt {}) has no log of rank {}", job_name(id.job), id.attempt, rank)};
}

}  // namespace

Result<LogExtent> LocalLogs::extent(const model::AllocationId& id, std::int64_t rank) const {
  const std::string folder = LocalFolder(folder_).logs(id);
  const std::vector<std::int64_t> segments = segments_of(folder, rank);
  if (segments.empty()) return tl::unexpected(no_log(id, rank));
  return LogExtent{segments.front(),
                   segments.back() + size_of(segment_path(folder, rank, segments.back()))};
}

Result<LogPiece> LocalLogs::read(const model::AllocationId& id, std::int64_t rank,
                                 std::int64_t offset, std::int64_t most) const {
  const std::string folder = LocalFolder(folder_).logs(id);
  const std::vector<std::int64_t> segments = segments_of(folder, rank);
  if (segments.empty()) return tl::unexpected(no_log(id, rank));
  LogPiece piece;
  piece.offset = std::max(offset, segments.front());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::int64_t room = most - static_cast<std::int64_t>(piece.bytes.size());
    const std::int64_t from = piece.next() - segments[i];
    const bool last = i + 1 == segments.size();
    if (room <= 0 || from < 0) break;
    if (!last && piece.next() >= segments[i + 1]) continue;
    const std::string path = segment_path(folder, rank, segments[i]);
    auto bytes =
        read_segment(path, from, std::min(room, std::max<std::int64_t>(size_of(path) - from, 0)));
    if (!bytes) {  // the writer has just dropped the oldest
      if (piece.bytes.empty() && !last) {
        piece.offset = segments[i + 1];
        continue;
      }
      break;
    }
    piece.bytes += *bytes;
  }
  if (piece.bytes.empty()) {  // beyond the end is the end
    if (const auto now = extent(id, rank); now && piece.offset > now->end) piece.offset = now->end;
  }
  return piece;
}

Result<LogPiece> LocalLogs::tail(const model::AllocationId& id, std::int64_t rank,
                                 std::int64_t lines, std::int64_t most) const {
  const auto now = extent(id, rank);
  if (!now) return tl::unexpected(now.error());
  LogPiece piece;
  piece.offset = now->end;
  // From the end in growing steps, until there are enough lines.
  for (std::int64_t step = 4096;; step = std::min(step * 4, most)) {
    const std::int64_t start = std::max(now->end - std::min(step, most), now->first);
    auto part = read(id, rank, start, now->end - start);
    if (!part) return part;
    std::int64_t breaks = 0;
    std::size_t cut = part->bytes.size();
    // The break at the very end closes the last line.
    for (std::size_t i = part->bytes.size(); i > 0; --i) {
      if (part->bytes[i - 1] == '\n' && i != part->bytes.size() && ++breaks == lines) break;
      cut = i - 1;
    }
    if (lines <= 0) cut = part->bytes.size();
    if (breaks >= lines || start == now->first || step >= most) {
      piece.offset = part->offset + static_cast<std::int64_t>(cut);
      piece.bytes = part->bytes.substr(cut);
      return piece;
    }
  }
}

void LocalLogs::remove(const model::AllocationId& id) const {
  remove_tree(LocalFolder(folder_).logs(id));
}

LogWriter::LogWriter(std::string folder, std::int64_t rank, std::int64_t segment, int keep)
    : folder_(std::move(folder)), rank_(rank), segment_(segment), keep_(keep) {}

std::string LogWriter::path(std::int64_t first) const {
  return segment_path(folder_, rank_, first);
}

Result<void> LogWriter::open() {
  Fd file(
      ::open(path(first_).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return tl::unexpected(system_error("create " + path(first_)));
  file_ = std::move(file);
  size_ = 0;
  return {};
}

Result<void> LogWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (size_ >= segment_) {
      const std::int64_t before = size_;
      first_ += size_;
      if (auto opened = open(); !opened) {
        first_ -= before;  // what comes is lost until a segment can be made
        size_ = before;
        return opened;
      }
      std::vector<std::int64_t> all = segments_of(folder_, rank_);
      for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < all.size(); ++i)
        unlink(path(all[i]).c_str());
    }
    const auto part = bytes.substr(0, static_cast<std::size_t>(segment_ - size_));
    const ssize_t done = write(file_.get(), part.data(), part.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return tl::unexpected(system_error("write " + path(first_)));
    size_ += done;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

}  // namespace headroom::engine

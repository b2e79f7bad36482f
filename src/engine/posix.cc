#include "engine/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/assert.h"

namespace headroom::engine {

using base::fail;
using base::Result;

void Fd::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

base::Error system_error(std::string_view what) {
  return base::Error{fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

Result<std::string> read_file(const std::string& path, std::int64_t offset) {
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() || (offset > 0 && lseek(file.get(), offset, SEEK_SET) < 0))
    return tl::unexpected(system_error("open " + path));
  std::string bytes;
  char piece[16384];
  while (true) {
    const ssize_t got = read(file.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(system_error("read " + path));
    if (got == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return tl::unexpected(system_error("write"));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> sync_folder(const std::string& path) {
  Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || fsync(folder.get()) != 0)
    return tl::unexpected(system_error("make durable " + path));
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes, bool durable) {
  const std::string beside = path + ".new";
  Fd file(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return tl::unexpected(system_error("create " + beside));
  if (auto written = write_all(file.get(), bytes); !written)
    return fail(beside + ": " + written.error().message);
  if (durable && fsync(file.get()) != 0)
    return tl::unexpected(system_error("make durable " + beside));
  if (rename(beside.c_str(), path.c_str()) != 0)
    return tl::unexpected(system_error("rename to " + path));
  return durable ? sync_folder(std::filesystem::path(path).parent_path().string()) : Result<void>{};
}

Result<void> make_folder(const std::string& path) {
  const std::filesystem::path whole(path);
  if (whole.has_parent_path() && !exists(whole.parent_path().string())) {
    if (auto above = make_folder(whole.parent_path().string()); !above) return above;
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(system_error("make the folder " + path));
  return {};
}

Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) return fail(fmt::format("cannot list {}: {}", folder, error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

void remove_tree(const std::string& path) {
  std::error_code ignored;  // what is left is tried again at the next start
  std::filesystem::remove_all(path, ignored);
}

bool exists(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0;
}

std::int64_t monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

std::string boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id");
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string random_hex(int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    unsigned char byte = 0;
    HEADROOM_ASSERT(getrandom(&byte, 1, 0) == 1);
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

}  // namespace headroom::engine

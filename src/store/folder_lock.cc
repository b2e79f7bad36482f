#include "store/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace headroom::store {

namespace {

tl::unexpected<base::Error> failed(const std::string& path, const char* what) {
  return base::fail(
      fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(errno)));
}

// The process id that the holder wrote down; empty when it has not yet.
std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const ::ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  std::string line(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return line.substr(0, line.find('\n'));
}

}  // namespace

base::Result<FolderLock> FolderLock::take(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed(folder, "be made");
  const std::string path = folder + "/lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return failed(path, "be opened");
  FolderLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed(path, "be locked");
    return base::fail(fmt::format(
        "{}: in use by process {}; one server a data folder: stop it, or name another folder",
        folder, holder(descriptor)));
  }
  const std::string line = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, line.data(), line.size(), 0) != static_cast<::ssize_t>(line.size())) {
    return failed(path, "be written");
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(other.descriptor_) {
  other.descriptor_ = -1;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace headroom::store

#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace headroom::cli {

namespace {

tl::unexpected<base::Error> failed(const std::string& path, int error) {
  return base::fail(path + ": " + std::strerror(error));
}

// Where the file really is: what a symbolic link points to, so that the link stays.
std::string resolved(const std::string& path) {
  char* target = realpath(path.c_str(), nullptr);
  if (target == nullptr) return path;  // it does not exist yet
  std::string result = target;
  std::free(target);
  return result;
}

}  // namespace

PendingFile::PendingFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

base::Result<PendingFile> PendingFile::create(const std::string& path) {
  if (path.empty()) return base::fail("the path is empty");
  const std::string target = resolved(path);
  // Renaming over a device or a pipe would replace it.
  struct stat status{};
  if (stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return base::fail(path + ": this is not a regular file");
  }
  std::string temporary = target + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return failed(path, errno);
  // mkstemp makes it private; a report is as readable as any other file.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  return PendingFile(target, std::move(temporary), descriptor);
}

base::Result<void> PendingFile::commit(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(path_, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return failed(path_, errno);
  const int closed = close(std::exchange(descriptor_, -1));
  if (closed != 0) return failed(path_, errno);
  return {};
}

}  // namespace headroom::cli

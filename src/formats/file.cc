#include "formats/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace headroom::formats {

using base::Result;

namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

tl::unexpected<base::Error> system_failure(const std::string& path, const char* what) {
  const std::string reason = std::generic_category().message(errno);
  return base::fail(fmt::format("{}: cannot {}: {}", path, what, reason));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::int64_t most_bytes) {
  const Descriptor file(path);
  if (file.number() < 0) return system_failure(path, "be opened");
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return system_failure(path, "be examined");
  if (!S_ISREG(status.st_mode)) return base::fail(path + ": this is not a regular file");

  const auto too_large = [&](std::int64_t bytes) {
    return base::fail(
        fmt::format("{}: {} bytes are more than the {} allowed", path, bytes, most_bytes));
  };
  if (status.st_size > most_bytes) return too_large(status.st_size);
  // A file may grow while it is read, and some report no size at all: the limit holds all the same.
  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size));
  std::string chunk(std::size_t{1} << 16, '\0');
  while (true) {
    const ::ssize_t got = ::read(file.number(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(path, "be read");
    if (got == 0) return text;
    text.append(chunk, 0, static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(text.size()) > most_bytes) return too_large(most_bytes + 1);
  }
}

}  // namespace headroom::formats

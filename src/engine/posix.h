// The few system calls that this folder needs, with errors as text. Files are replaced whole
// (written beside, then renamed), so that a reader sees the old or the new one, never a part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace headroom::engine {

// A descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  void reset(int number = -1);

 private:
  int number_ = -1;
};

// "cannot open /a/b: Permission denied", from errno.
base::Error system_error(std::string_view what);

base::Result<std::string> read_file(const std::string& path, std::int64_t offset = 0);
// Durable: survives a power cut once it has returned (the folder's entry too).
base::Result<void> replace_file(const std::string& path, std::string_view bytes, bool durable);
base::Result<void> sync_folder(const std::string& path);
base::Result<void> make_folder(const std::string& path);  // with those above it; mode 0700
base::Result<std::vector<std::string>> names_in(const std::string& folder);  // sorted
void remove_tree(const std::string& path);
bool exists(const std::string& path);

// Writes all of it, also after a partial write.
base::Result<void> write_all(int fd, std::string_view bytes);

// Milliseconds of a clock that never jumps.
std::int64_t monotonic_ms();
// Differs after each start of the machine.
std::string boot_id();
std::string random_hex(int bytes);

}  // namespace headroom::engine

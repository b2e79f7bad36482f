// Progress: one line on a terminal for work that takes over two seconds. It is rewritten in place
// and erased at the end, so that it leaves no trace; without a terminal it never writes.
//
//   Progress progress(stderr, inspect_terminal(2), "run", total);
//   while (…) progress.update(done);      // cheap: writes at most every 100 ms
//   progress.erase();                      // also when it is destroyed
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "cli/terminal.h"

namespace headroom::cli {

// "412/840 runs, 57.1 runs/s, about 7 s left"
std::string progress_text(std::size_t done, std::size_t total, double seconds,
                          const std::string& what);

class Progress {
 public:
  Progress(std::FILE* stream, const Terminal& terminal, std::string what, std::size_t total);
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* stream_;
  bool active_;
  std::size_t width_;
  std::string what_;
  std::size_t total_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point written_{};
  bool shown_ = false;
};

}  // namespace headroom::cli

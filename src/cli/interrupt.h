// Interrupt: while one exists, the first Ctrl-C (SIGINT) or SIGTERM only sets `requested`, so that
// long work can stop at a clean point; a second one ends the program at once.
#pragma once

#include <atomic>

namespace headroom::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static const std::atomic<bool>& requested();

  // What the shell sees of a program that was interrupted: 128 + the signal's number.
  static int exit_code();
};

}  // namespace headroom::cli

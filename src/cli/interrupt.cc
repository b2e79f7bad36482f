#include "cli/interrupt.h"

#include <csignal>

namespace headroom::cli {

namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> interrupted{false};
std::atomic<int> by_signal{SIGINT};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  by_signal = number;
  interrupted = true;
}

void handle(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND);
  for (int number : {SIGINT, SIGTERM}) {
    struct sigaction before{};
    sigaction(number, nullptr, &before);
    // What the caller wants ignored (nohup, a background job) stays ignored.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = false;
  handle(on_signal);
}
Interrupt::~Interrupt() { handle(SIG_DFL); }

const std::atomic<bool>& Interrupt::requested() { return interrupted; }
int Interrupt::exit_code() { return 128 + by_signal; }

}  // namespace headroom::cli

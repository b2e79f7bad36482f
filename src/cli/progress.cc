#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace headroom::cli {

namespace {

constexpr std::chrono::seconds kQuietFor{2};
constexpr std::chrono::milliseconds kEvery{100};

std::string remaining_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 90) return fmt::format("about {} s left", whole);
  if (whole < 90 * 60) return fmt::format("about {} min left", (whole + 30) / 60);
  return fmt::format("about {:.1f} h left", static_cast<double>(whole) / 3600);
}

}  // namespace

std::string progress_text(std::size_t done, std::size_t total, double seconds,
                          const std::string& what) {
  std::string text = fmt::format("{}/{} {}s", done, total, what);
  if (done == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  if (rate >= 1) {
    text += fmt::format(", {:.1f} {}s/s", rate, what);
  } else {
    text += fmt::format(", {:.1f} s a {}", 1 / rate, what);
  }
  if (done < total) text += ", " + remaining_text(static_cast<double>(total - done) / rate);
  return text;
}

Progress::Progress(std::FILE* stream, const Terminal& terminal, std::string what, std::size_t total)
    : stream_(stream),
      active_(terminal.is_terminal),
      width_(terminal.width > 1 ? terminal.width - 1 : 1),
      what_(std::move(what)),
      total_(total) {}

void Progress::update(std::size_t done) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < kQuietFor || now - written_ < kEvery) return;
  written_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(done, total_, seconds, what_).substr(0, width_);
  fmt::print(stream_, "\r{}\x1b[K", text);
  std::fflush(stream_);
}

void Progress::erase() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
}

}  // namespace headroom::cli

#include "formats/problems.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::formats {

namespace {

constexpr std::size_t kMostKept = 1000;
constexpr std::size_t kMostShown = 20;

}  // namespace

void Problems::add(int line, std::string_view path, std::string_view what) {
  if (found_.size() == kMostKept) {
    ++dropped_;
    return;
  }
  std::string text = line > 0 ? fmt::format("{}:{}: ", file_, line) : file_ + ": ";
  if (!path.empty()) text += fmt::format("{}: ", path);
  text += what;
  found_.push_back({line, std::move(text)});
}

tl::unexpected<base::Error> Problems::error() const {
  std::vector<Found> sorted = found_;
  const auto by_line = [](const Found& a, const Found& b) { return a.line < b.line; };
  std::stable_sort(sorted.begin(), sorted.end(), by_line);
  std::string all;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i) {
    if (i > 0) all += '\n';
    all += sorted[i].text;
  }
  if (const std::size_t count = sorted.size() + dropped_; count > kMostShown) {
    all += fmt::format("\n{}: and {} more", file_, count - kMostShown);
  }
  return base::fail(std::move(all));
}

}  // namespace headroom::formats

#include "formats/node_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/names.h"
#include "formats/slurm_values.h"

namespace headroom::formats {

using base::Result;
using Names = std::vector<std::string>;

namespace {

constexpr std::size_t kLongestItem = 200;  // names.h allows items of 253 letters

// A name around its last number: "rack1-n07.site" is "rack1-n", "07", ".site".
struct Parts {
  std::string_view before;
  std::string_view digits;
  std::string_view after;
};

Parts parts_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return {.before = name};
  std::size_t first = last;
  while (first > 0 && kDigits.find(name[first - 1]) != std::string_view::npos) --first;
  // A number of more than nine digits is no number to names.h.
  if (last - first + 1 > 9) return {.before = name};
  return {name.substr(0, first), name.substr(first, last - first + 1), name.substr(last + 1)};
}

// "1-3,7" of numbers that follow each other in a list of names with equal letters.
class Bracket {
 public:
  explicit Bracket(const Parts& parts) : first_(parts) { begin(parts); }

  // Takes one more name, or refuses it.
  bool add(const Parts& parts) {
    if (parts.before != first_.before || parts.after != first_.after || parts.digits.empty() ||
        first_.digits.empty() || list_.size() > kLongestItem) {
      return false;
    }
    const int number = std::stoi(std::string(parts.digits));
    if (number == last_ + 1 && parts.digits == fmt::format("{:0{}}", number, width_)) {
      last_ = number;
      return true;
    }
    close();
    begin(parts);
    return true;
  }

  std::string text() {
    if (first_.digits.empty()) return std::string(first_.before);
    close();
    const bool single = list_.find_first_of(",-") == std::string::npos;
    return single ? fmt::format("{}{}{}", first_.before, list_, first_.after)
                  : fmt::format("{}[{}]{}", first_.before, list_, first_.after);
  }

 private:
  void begin(const Parts& parts) {
    if (parts.digits.empty()) return;
    low_ = last_ = std::stoi(std::string(parts.digits));
    width_ = parts.digits.size();
  }
  void close() {
    if (!list_.empty()) list_ += ',';
    list_ += fmt::format("{:0{}}", low_, width_);
    if (last_ > low_) list_ += fmt::format("-{:0{}}", last_, width_);
  }

  Parts first_;
  std::string list_;
  int low_ = 0;
  int last_ = 0;
  std::size_t width_ = 0;
};

}  // namespace

Result<Names> expand_slurm_names(std::string_view list) {
  Names all;
  const auto add = [&](std::string_view pattern) -> Result<void> {
    Result<Names> names = expand_names(pattern);
    if (!names) return tl::unexpected(names.error());
    if (all.size() + names->size() > kMostNames) {
      return base::fail(fmt::format("the list stands for more than {} names", kMostNames));
    }
    std::move(names->begin(), names->end(), std::back_inserter(all));
    return {};
  };
  for (const std::string_view item : split_outside(list, ',')) {
    const std::size_t open = item.find('[');
    const std::size_t close = item.rfind(']');
    const bool is_long = item.size() > kLongestItem && open != std::string_view::npos &&
                         close != std::string_view::npos && open < close &&
                         item.find('[', open + 1) == std::string_view::npos;
    if (!is_long) {
      if (Result<void> done = add(item); !done) return tl::unexpected(done.error());
      continue;
    }
    for (const std::string_view part :
         split_outside(item.substr(open + 1, close - open - 1), ',')) {
      const auto done =
          add(fmt::format("{}[{}]{}", item.substr(0, open), part, item.substr(close + 1)));
      if (!done) return tl::unexpected(done.error());
    }
  }
  return all;
}

std::string compress_names(const Names& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size();) {
    Bracket bracket(parts_of(names[i++]));
    while (i < names.size() && bracket.add(parts_of(names[i]))) ++i;
    all += (all.empty() ? "" : ",") + bracket.text();
  }
  return all;
}

}  // namespace headroom::formats

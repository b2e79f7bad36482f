#include "formats/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using Names = std::vector<std::string>;

namespace {

constexpr std::size_t kLongestName = 253;  // of a host (RFC 1123)

tl::unexpected<base::Error> too_many() {
  return base::fail(fmt::format("the pattern stands for more than {} names", kMostNames));
}

// Appends the numbers of "01-04" or "7" to `numbers`.
Result<void> expand_part(std::string_view part, Names& numbers) {
  const std::size_t dash = part.find('-');
  const std::string_view low_text = part.substr(0, dash);
  const std::string_view high_text =
      dash == std::string_view::npos ? low_text : part.substr(dash + 1);
  constexpr std::size_t kMostDigits = 9;
  for (std::string_view number : {low_text, high_text}) {
    const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits || number.empty() || number.size() > kMostDigits) {
      return base::fail(shown(part) + " is not a range of numbers (such as 001-032)");
    }
  }
  const int low = std::stoi(std::string(low_text));
  const int high = std::stoi(std::string(high_text));
  if (high < low) return base::fail(shown(part) + " runs backwards");
  if (static_cast<std::size_t>(high - low) >= kMostNames - numbers.size()) return too_many();
  for (int i = low; i <= high; ++i) numbers.push_back(fmt::format("{:0{}}", i, low_text.size()));
  return {};
}

// What "[01-03,07]" stands for, without the brackets.
Result<Names> expand_bracket(std::string_view inside) {
  Names numbers;
  while (true) {
    const std::size_t comma = inside.find(',');
    if (auto done = expand_part(inside.substr(0, comma), numbers); !done) {
      return tl::unexpected(done.error());
    }
    if (comma == std::string_view::npos) return numbers;
    inside.remove_prefix(comma + 1);
  }
}

// Every name so far followed by every ending.
Result<Names> combine(const Names& beginnings, const Names& endings) {
  if (beginnings.size() * endings.size() > kMostNames) return too_many();
  Names result;
  result.reserve(beginnings.size() * endings.size());
  for (const std::string& beginning : beginnings) {
    for (const std::string& ending : endings) result.push_back(beginning + ending);
  }
  return result;
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// One item of the list, without commas outside of brackets.
Result<Names> expand_item(std::string_view item) {
  if (item.empty()) return base::fail("a name is empty");
  if (item.size() > kLongestName) return base::fail(shown(item) + " is too long for a name");
  Names names{""};
  while (!item.empty()) {
    Names endings;
    if (item.front() == '[') {
      const std::size_t close = item.find(']');
      if (close == std::string_view::npos) return base::fail("a bracket is not closed");
      Result<Names> numbers = expand_bracket(item.substr(1, close - 1));
      if (!numbers) return numbers;
      endings = std::move(*numbers);
      item.remove_prefix(close + 1);
    } else {
      const std::size_t end = std::min(item.find('['), item.size());
      const std::string_view letters = item.substr(0, end);
      const auto odd = std::find_if_not(letters.begin(), letters.end(), is_name_letter);
      if (odd != letters.end()) {
        return base::fail(fmt::format("{} has '{}' (allowed: letters, digits, - _ . and [1-9])",
                                      shown(letters), shown({odd, 1})));
      }
      endings.emplace_back(letters);
      item.remove_prefix(end);
    }
    Result<Names> longer = combine(names, endings);
    if (!longer) return longer;
    names = std::move(*longer);
  }
  return names;
}

// Where the first comma outside of brackets is.
std::size_t item_end(std::string_view pattern) {
  bool inside = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '[') inside = true;
    if (pattern[i] == ']') inside = false;
    if (pattern[i] == ',' && !inside) return i;
  }
  return pattern.size();
}

}  // namespace

Result<Names> expand_names(std::string_view pattern) {
  Names all;
  while (true) {
    const std::size_t end = item_end(pattern);
    Result<Names> names = expand_item(pattern.substr(0, end));
    if (!names) return names;
    if (all.size() + names->size() > kMostNames) return too_many();
    std::move(names->begin(), names->end(), std::back_inserter(all));
    if (end == pattern.size()) return all;
    pattern.remove_prefix(end + 1);
  }
}

Result<Range> parse_range(std::string_view text) {
  constexpr std::int64_t kLargest = 1'000'000'000'000;
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash), 0, kLargest);
  const auto last =
      dash == std::string_view::npos ? first : parse_integer(text.substr(dash + 1), 0, kLargest);
  if (!first || !last) return base::fail(shown(text) + " is not a range (such as 42-51)");
  if (*last < *first) return base::fail(shown(text) + " runs backwards");
  return Range{*first, *last};
}

}  // namespace headroom::formats

#include "formats/spelling.h"

#include <algorithm>

#include "formats/message.h"

namespace headroom::formats {

namespace {

constexpr std::size_t kLongestWord = 64;  // longer ones are garbage, not a slip of the pen
constexpr std::size_t kFewChoices = 24;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How many letters at the front are the same.
std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t length = 0;
  while (length < std::min(a.size(), b.size()) && lower(a[length]) == lower(b[length])) ++length;
  return length;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      int best = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + changed});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = std::min(best, at(i - 2, j - 2) + 1);
      at(i, j) = best;
    }
  }
  return at(a.size(), b.size());
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  if (word.empty() || word.size() > kLongestWord) return "";
  const int farthest = std::max(2, static_cast<int>(word.size()) / 3);
  int best = std::min(farthest, static_cast<int>(word.size()) - 1) + 1;
  std::size_t longest = 0;
  std::string result;
  for (const std::string& choice : choices) {
    if (choice.size() > kLongestWord) continue;
    const int distance = edit_distance(word, choice);
    const std::size_t shared = common_prefix(word, choice);
    if (distance < best || (distance == best && !result.empty() && shared > longest)) {
      best = distance;
      longest = shared;
      result = choice;
    }
  }
  return result;
}

std::string hint(std::string_view word, const std::vector<std::string>& choices) {
  const std::string near = nearest(word, choices);
  if (!near.empty()) return " (did you mean " + near + "?)";
  if (choices.empty() || choices.size() > kFewChoices) return "";
  return " (known: " + one_of(choices) + ")";
}

}  // namespace headroom::formats

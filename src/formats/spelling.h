// The nearest known spelling of a word that is not known, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom::formats {

// The number of letters to insert, delete, replace or swap with a neighbour to turn one word into
// the other, without regard to case (optimal string alignment). O(a * b).
int edit_distance(std::string_view a, std::string_view b);

// The choice that is nearest to the word, or "" when none is close (more than a third of the
// letters differ, and more than two). Equally near: the
// one that begins alike, else the first.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);

// " (did you mean X?)" with the nearest choice, or " (known: a, b or c)" when none is near and
// there are few.
std::string hint(std::string_view word, const std::vector<std::string>& choices);

// ASCII lower case.
std::string lower_case(std::string_view text);

}  // namespace headroom::formats

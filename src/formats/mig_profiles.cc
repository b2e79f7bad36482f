#include "formats/mig_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "formats/message.h"
#include "formats/names.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using model::MigProfile;
using model::Product;

namespace {

constexpr int kMostInstances = 16;

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

// "0,2,4" or "0-6" as bits.
Result<std::uint16_t> parse_starts(std::string_view text, int slices) {
  unsigned bits = 0;
  for (std::string_view part : split(text, ",")) {
    const Result<Range> range = parse_range(part);
    if (!range) return tl::unexpected(range.error());
    if (range->last >= slices) {
      return base::fail(fmt::format("start {} is not in 0..{}", range->last, slices - 1));
    }
    for (std::int64_t slot = range->first; slot <= range->last; ++slot) bits |= 1U << slot;
  }
  return static_cast<std::uint16_t>(bits);
}

struct Item {
  MigProfile profile;
  std::string also;
};

Result<void> parse_property(std::string_view property, int slices, Item& item) {
  const std::size_t equals = property.find('=');
  const std::string_view key = property.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? "" : property.substr(equals + 1);
  if (key == "start") {
    const auto starts = parse_starts(value, slices);
    if (!starts) return tl::unexpected(starts.error());
    item.profile.starts = *starts;
  } else if (key == "size" || key == "max") {
    const auto number = parse_integer(value, 1, key == "size" ? slices : kMostInstances);
    if (!number) return tl::unexpected(number.error());
    (key == "size" ? item.profile.size : item.profile.max_per_gpu) =
        static_cast<std::uint8_t>(*number);
  } else if (key == "also" && looks_like_mig_profile(value)) {
    item.also = value;
  } else {
    return base::fail(shown(property) + " is not one of start=, size=, max= or also=");
  }
  return {};
}

// Every start must leave room for the profile.
Result<void> check_room(const MigProfile& profile, int slices) {
  for (int slot = 0; slot < slices; ++slot) {
    const bool starts_here = (profile.starts >> slot & 1) != 0;
    if (!starts_here || slot + profile.size <= slices) continue;
    return base::fail(fmt::format("{} of size {} does not fit at start {} of {} slices",
                                  profile.name, profile.size, slot, slices));
  }
  return {};
}

Result<void> parse_item(std::string_view text, int slices, Product& product) {
  const std::vector<std::string_view> parts = split(text, "|");
  if (!looks_like_mig_profile(parts.front())) {
    return base::fail(shown(parts.front()) + " is not a MIG profile (such as 2g.20gb)");
  }
  Item item{.profile = {.name = std::string(parts.front())}, .also = ""};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (auto done = parse_property(parts[i], slices, item); !done) return done;
  }
  if (item.profile.starts == 0) {
    product.unplaceable_profiles.push_back(item.profile.name);
    return {};
  }
  if (item.profile.size == 0 || item.profile.max_per_gpu == 0) {
    return base::fail(item.profile.name + " needs size= and max=");
  }
  if (auto done = check_room(item.profile, slices); !done) return done;
  if (product.gpu.profile(item.profile.name) != nullptr) {
    return base::fail(item.profile.name + " is there twice");
  }
  if (!item.also.empty()) product.profile_aliases.emplace_back(item.also, item.profile.name);
  product.gpu.mig_profiles.push_back(std::move(item.profile));
  return {};
}

}  // namespace

Result<void> parse_mig_profiles(std::string_view text, int slices, Product& product) {
  if (text == "none") {
    if (slices == 0) return {};
    return base::fail("none is given for a GPU that has memory slices");
  }
  if (slices == 0) return base::fail("profiles are given for a GPU without memory slices");
  for (std::string_view item : split(text, "; ")) {
    if (auto done = parse_item(item, slices, product); !done) return done;
  }
  const bool placeable = !product.gpu.mig_profiles.empty();
  product.gpu.mig_slices = static_cast<std::uint8_t>(placeable ? slices : 0);
  return {};
}

bool looks_like_mig_profile(std::string_view text) {
  const auto take_number = [&] {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits > 0 && digits < 5;
  };
  if (!take_number() || !text.starts_with("g.")) return false;
  text.remove_prefix(2);
  if (!take_number() || !text.starts_with("gb")) return false;
  text.remove_prefix(2);
  return text.empty() || text == "+me" || text == "+gfx" || text == "-me";
}

}  // namespace headroom::formats

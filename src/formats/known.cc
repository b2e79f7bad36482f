#include "formats/known.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "formats/catalogue.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;
using Names = std::vector<std::string>;

namespace {

// The names and the prefixes of them that stand for several: H100-SXM, H100.
Names with_families(const Names& names) {
  Names all = names;
  for (const std::string& name : names) {
    const std::string family = name.substr(0, name.find('-'));
    if (std::find(all.begin(), all.end(), family) == all.end()) all.push_back(family);
  }
  return all;
}

tl::unexpected<base::Error> unknown(std::string_view name, const Names& names) {
  const std::string near = nearest(name, with_families(names));
  const std::string help =
      near.empty() ? " (known: " + one_of(names) + ")" : " (did you mean " + near + "?)";
  return base::fail(fmt::format("unknown GPU model {}{}", shown(name), help));
}

}  // namespace

Names Known::names() const {
  HEADROOM_ASSERT(catalogue != nullptr);
  Names all;
  for (const model::GpuModel& gpu : own) all.push_back(gpu.name);
  for (const model::Product& product : catalogue->products) {
    if (std::find(all.begin(), all.end(), product.gpu.name) == all.end()) {
      all.push_back(product.gpu.name);
    }
  }
  return all;
}

Result<std::string> Known::product(std::string_view name) const {
  const Names all = names();
  const Names found = model::matching_names(name, all);
  if (found.empty()) return unknown(name, all);
  if (found.size() == 1) return found.front();
  return base::fail(fmt::format("{} stands for several products: {}", shown(name), one_of(found)));
}

Result<Names> Known::wish(std::string_view name) const {
  const Names all = names();
  Names found = model::matching_names(name, all);
  if (found.empty()) return unknown(name, all);
  return found;
}

Result<std::string> Known::mig_profile(std::string_view name) const {
  HEADROOM_ASSERT(catalogue != nullptr);
  Names all;
  for (const model::Product& product : catalogue->products) {
    for (const model::MigProfile& profile : product.gpu.mig_profiles) all.push_back(profile.name);
    for (const auto& [alias, canonical] : product.profile_aliases) {
      if (alias == name) return canonical;
    }
    const Names& without_table = product.unplaceable_profiles;
    all.insert(all.end(), without_table.begin(), without_table.end());
  }
  for (const model::GpuModel& gpu : own) {
    for (const model::MigProfile& profile : gpu.mig_profiles) all.push_back(profile.name);
  }
  if (std::find(all.begin(), all.end(), name) != all.end()) return std::string(name);
  return base::fail(fmt::format("no GPU has the MIG profile {}{}", shown(name), hint(name, all)));
}

Known known_products() { return {.catalogue = &built_in_catalogue(), .own = {}}; }

}  // namespace headroom::formats

#include "model/catalogue.h"

#include <algorithm>

namespace headroom::model {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_names(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) { return lower(x) == lower(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

const Product* Catalogue::find(std::string_view name) const {
  for (const Product& product : products) {
    if (equal_names(product.gpu.name, name)) return &product;
  }
  return nullptr;
}

bool name_matches(std::string_view wish, std::string_view name) {
  if (wish.empty() || wish.size() > name.size()) return false;
  const bool ends = wish.size() == name.size() || name[wish.size()] == '-';
  return ends && equal_names(wish, name.substr(0, wish.size()));
}

std::vector<std::string> matching_names(std::string_view wish,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (equal_names(wish, name)) return {name};
    if (name_matches(wish, name)) found.push_back(name);
  }
  return found;
}

}  // namespace headroom::model

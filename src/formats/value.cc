#include "formats/value.h"

#include <algorithm>

namespace headroom::formats {

Value Value::plain(std::string_view text) {
  Value value;
  value.kind = Kind::kScalar;
  value.text = text;
  return value;
}

Value Value::number(std::int64_t number) { return plain(std::to_string(number)); }

Value Value::boolean(bool value) { return plain(value ? "true" : "false"); }

Value Value::string(std::string_view text) {
  Value value = plain(text);
  value.is_text = true;
  return value;
}

Value Value::list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::kList;
  value.items = std::move(items);
  return value;
}

Value Value::map(std::vector<std::pair<std::string, Value>> entries) {
  Value value;
  value.kind = Kind::kMap;
  for (auto& [key, item] : entries) value.set(key, std::move(item));
  return value;
}

const Value* Value::find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Value& Value::set(const std::string& key, Value value) {
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) {
    keys.push_back(key);
    items.push_back(std::move(value));
    return items.back();
  }
  Value& old = items[static_cast<std::size_t>(found - keys.begin())];
  old = std::move(value);
  return old;
}

}  // namespace headroom::formats

#include "formats/codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

namespace {

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "empty";
    case Value::Kind::kScalar:
      return "a single value";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map of keys";
  }
  return "";
}

Value texts(const std::vector<std::string>& words) {
  Value list = Value::list();
  for (const std::string& word : words) list.items.push_back(Value::string(word));
  return list;
}

}  // namespace

bool expect_kind(const Value& value, Context& context, Value::Kind kind) {
  if (value.kind == kind) return true;
  const std::string found = value.is_scalar() ? shown(value.text) + " is " : "this is ";
  context.problem(value,
                  fmt::format("{}{}, not {}", found, kind_name(value.kind), kind_name(kind)));
  return false;
}

void check_keys(const Value& value, Context& context, const std::vector<std::string>& keys,
                const std::vector<std::string>& needed) {
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    Value at;
    at.line = value.items[i].key_line;
    context.problem(at, fmt::format("unknown key {}{}", shown(key), hint(key, keys)));
  }
  for (const std::string& key : needed) {
    if (value.find(key) == nullptr) context.problem(value, fmt::format("key {} is missing", key));
  }
}

Value object_schema(const std::vector<std::pair<std::string, Value>>& keys,
                    const std::vector<std::string>& needed) {
  Value schema = Value::map(
      {{"type", Value::string("object")}, {"additionalProperties", Value::boolean(false)}});
  if (!needed.empty()) schema.set("required", texts(needed));
  schema.set("properties", Value::map(keys));
  return schema;
}

Value described(Value schema, std::string_view says) {
  if (!says.empty()) schema.set("description", Value::string(says));
  return schema;
}

Value list_schema(const Value& item) {
  return Value::map({{"type", Value::string("array")}, {"items", item}});
}

}  // namespace headroom::formats

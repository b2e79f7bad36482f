// Value: a document as a tree of maps, lists and scalars, with the line of each. It is what YAML is
// read into and written from, and what a JSON Schema is made of. Maps keep the order of their keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom::formats {

struct Value {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text;      // of a scalar
  bool is_text = false;  // scalar: a text even where it looks like a number (it was quoted)
  std::vector<std::string> keys;  // of a map
  std::vector<Value> items;       // of a list, or of a map (by position of the key)
  int line = 0;                   // where it stands in the file; 0: nowhere
  int key_line = 0;               // where its key stands

  // A scalar that is written as it stands: 42, true, 2TiB.
  static Value plain(std::string_view text);
  static Value number(std::int64_t number);
  static Value boolean(bool value);
  // A text, quoted where it could be taken for something else.
  static Value string(std::string_view text);
  static Value list(std::vector<Value> items = {});
  static Value map(std::vector<std::pair<std::string, Value>> entries = {});

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  // The value of a key of a map, or nullptr.
  const Value* find(std::string_view key) const;
  // Adds a key at the end, or replaces its value.
  Value& set(const std::string& key, Value value);
};

}  // namespace headroom::formats

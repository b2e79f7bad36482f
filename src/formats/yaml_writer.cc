// Writes a tree of values as YAML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "formats/quantity.h"
#include "formats/spelling.h"
#include "formats/yaml.h"

namespace headroom::formats {

namespace {

constexpr std::size_t kWidth = 100;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Words and numbers that YAML 1.1 or 1.2 readers take for something other than a text.
bool is_ambiguous(std::string_view text) {
  constexpr std::array kWords{"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const std::string word = lower_case(text);
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  // Numbers, times and dates begin with a digit, a sign or a point.
  const char first = text.front();
  const bool has_letter = std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (word.size() == 1) return first >= '0' && first <= '9';
  return !is_letter_or_digit(first) || (!has_letter && first >= '0' && first <= '9') ||
         (first >= '0' && first <= '9' && (word[1] == 'x' || word.find('e') < word.size()));
}

bool is_safe_unquoted(std::string_view text) {
  if (text.empty() || !is_letter_or_digit(text.front()) || text.back() == ' ') return false;
  if (text.back() == ':') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool next_is_space = i + 1 < text.size() && text[i + 1] == ' ';
    if (c == ':' && next_is_space) return false;
    constexpr std::string_view kOthers = "_./@%+:- ";
    if (!is_letter_or_digit(c) && kOthers.find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string scalar(const Value& value) {
  const bool is_negative_number = !value.is_text && parse_integer(value.text, INT64_MIN, 0);
  if (is_negative_number) return value.text;
  if (!is_safe_unquoted(value.text)) return quoted(value.text);
  return value.is_text && is_ambiguous(value.text) ? quoted(value.text) : value.text;
}

std::string key_text(const std::string& key) { return scalar(Value::string(key)); }

// The value on one line, as it stands inside [] or {}.
std::string flow(const Value& value) {
  if (value.kind == Value::Kind::kNull) return "null";
  if (value.is_scalar()) return scalar(value);
  std::string text = value.is_map() ? "{" : "[";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) text += ", ";
    if (value.is_map()) text += key_text(value.keys[i]) + ": ";
    text += flow(value.items[i]);
  }
  return text + (value.is_map() ? "}" : "]");
}

// Scalars, and lists and maps that are short and hold scalars only, stand on one line.
bool is_flat(const Value& value, std::size_t indent) {
  if (value.kind == Value::Kind::kNull || value.is_scalar() || value.items.empty()) return true;
  const auto is_leaf = [](const Value& item) { return item.is_scalar(); };
  if (!std::all_of(value.items.begin(), value.items.end(), is_leaf)) return false;
  return flow(value).size() + indent < kWidth;
}

void write(const Value& value, std::size_t indent, bool first_line_is_open, std::string& out) {
  const std::string margin(indent, ' ');
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Value& item = value.items[i];
    const std::string lead = value.is_map() ? key_text(value.keys[i]) + ":" : "-";
    out += (i == 0 && first_line_is_open ? "" : margin) + lead;
    if (is_flat(item, indent + lead.size() + 1)) {
      out += " " + flow(item) + "\n";
    } else if (value.is_map()) {
      out += "\n";
      write(item, indent + 2, false, out);
    } else {
      out += " ";
      write(item, indent + 2, true, out);
    }
  }
}

}  // namespace

std::string print_yaml(const Value& value) {
  if (!value.is_map() && !value.is_list()) return flow(value) + "\n";
  if (value.items.empty()) return flow(value) + "\n";
  std::string out;
  write(value, 0, false, out);
  return out;
}

}  // namespace headroom::formats

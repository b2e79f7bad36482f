#include "formats/json.h"

#include <fmt/format.h>

namespace headroom::formats {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// As RFC 8259 writes them, without an exponent: 42, -0.5.
bool is_number(std::string_view text) {
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (!all_digits(whole) || (whole.size() > 1 && whole.front() == '0')) return false;
  return point == std::string_view::npos || all_digits(text.substr(point + 1));
}

std::string scalar(const Value& value) {
  const bool literal =
      !value.is_text && (value.text == "true" || value.text == "false" || is_number(value.text));
  return literal ? value.text : quoted(value.text);
}

// The value on one line.
std::string flat(const Value& value) {
  if (value.kind == Value::Kind::kNull) return "null";
  if (value.is_scalar()) return scalar(value);
  std::string out = value.is_map() ? "{" : "[";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (value.is_map()) out += quoted(value.keys[i]) + ": ";
    out += flat(value.items[i]);
  }
  return out + (value.is_map() ? "}" : "]");
}

// Lists and maps stand on one line where they fit.
void write(const Value& value, std::size_t indent, std::string& out) {
  constexpr std::size_t kWidth = 100;
  const std::size_t column = out.size() - (out.rfind('\n') + 1);  // npos + 1 is 0
  const std::string line = flat(value);
  if (column + line.size() < kWidth || value.items.empty()) {
    out += line;
  } else {
    out += value.is_map() ? "{" : "[";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      out += (i == 0 ? "\n" : ",\n") + std::string(indent + 2, ' ');
      if (value.is_map()) out += quoted(value.keys[i]) + ": ";
      write(value.items[i], indent + 2, out);
    }
    out += "\n" + std::string(indent, ' ') + (value.is_map() ? "}" : "]");
  }
}

}  // namespace

std::string print_json_line(const Value& value) {
  if (value.kind == Value::Kind::kNull) return "null";
  if (value.is_scalar()) return scalar(value);
  std::string out;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (value.is_map()) out += quoted(value.keys[i]) + ": ";
    out += print_json_line(value.items[i]);
  }
  return value.is_map() ? "{" + out + "}" : "[" + out + "]";
}

std::string print_json(const Value& value) {
  std::string out;
  write(value, 0, out);
  return out + "\n";
}

}  // namespace headroom::formats

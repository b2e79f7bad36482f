#include "formats/codecs.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/names.h"
#include "formats/one_line.h"
#include "formats/quantity.h"
#include "formats/spelling.h"
#include "formats/time.h"
#include "formats/units.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr const char* kDecimal = "[0-9]+(\\.[0-9]+)?";

// A text with a number and one of the units of the kind.
std::string unit_pattern(UnitKind kind) {
  std::string units;
  for (const Unit& unit : all_units()) {
    if (unit.kind == kind && !unit.name.empty()) units += (units.empty() ? "" : "|") + unit.name;
  }
  return fmt::format("^{} ?({})$", kDecimal, units);
}

Value number_schema() {
  return Value::map({{"type", Value::string("number")}, {"minimum", Value::number(0)}});
}

template <class Q>
Codec<Q> quantity(Result<Q> (*parse)(std::string_view), std::string (*print)(Q), UnitKind kind) {
  return scalar<Q>(
      parse, [print](const Q& value) { return print(value); }, string_schema(unit_pattern(kind)));
}

// A number may not stand in quotes: "8" is a text.
template <class T>
Codec<T> unquoted(Codec<T> codec, std::string what) {
  codec.read = [read = codec.read, what = std::move(what)](const Value& value, Context& context,
                                                           T& into) {
    if (!value.is_text) return read(value, context, into);
    context.problem(
        value, fmt::format("{} is in quotes, so it is a text, not {}", shown(value.text), what));
  };
  return codec;
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace

Value string_schema(std::string_view pattern) {
  Value schema = Value::map({{"type", Value::string("string")}});
  if (!pattern.empty()) schema.set("pattern", Value::string(pattern));
  return schema;
}

Value integer_schema(std::int64_t low, std::int64_t high) {
  return Value::map({{"type", Value::string("integer")},
                     {"minimum", Value::number(low)},
                     {"maximum", Value::number(high)}});
}

Value any_of(std::vector<Value> schemas) {
  return Value::map({{"anyOf", Value::list(std::move(schemas))}});
}

Codec<base::Bytes> bytes() { return quantity(parse_bytes, print_bytes, UnitKind::kBytes); }
Codec<base::BytesPerSecond> byte_rate() {
  return quantity(parse_rate, print_rate, UnitKind::kRate);
}
Codec<base::BytesPerSecond> bit_rate() {
  return quantity(parse_rate, print_bit_rate, UnitKind::kRate);
}
Codec<base::Watts> power() { return quantity(parse_power, print_power, UnitKind::kPower); }
Codec<base::Bytes> bytes_per_step() {
  return quantity(parse_bytes_per_step, print_bytes_per_step, UnitKind::kBytesPerStep);
}

Codec<base::Duration> duration() {
  Codec<base::Duration> codec = quantity(parse_duration, print_duration, UnitKind::kDuration);
  codec.schema = any_of(
      {codec.schema,
       string_schema("^([0-9]+-[0-9]{2}(:[0-9]{2}(:[0-9]{2})?)?|[0-9]+:[0-9]{2}:[0-9]{2})$")});
  return codec;
}

Codec<base::Operations> operations() {
  Codec<base::Operations> codec =
      quantity(parse_operations, print_operations, UnitKind::kOperations);
  codec.schema = any_of({codec.schema, integer_schema(0, 1'000'000'000'000)});
  return codec;
}

Codec<base::CpuMilli> cores() {
  static constexpr std::int64_t kMost = 1'000'000;
  const auto parse = [](std::string_view text) -> Result<base::CpuMilli> {
    Result<base::CpuMilli> value = parse_cores(text);
    if (!value || value->value() <= kMost * 1000) return value;
    return base::fail(fmt::format("{} is not in 0..{} cores", shown(text), kMost));
  };
  return scalar<base::CpuMilli>(parse, print_cores,
                                any_of({number_schema(), string_schema("^[0-9]+m$")}));
}

Codec<base::Time> point_in_time() {
  return scalar<base::Time>(
      parse_time, print_time,
      string_schema("^[0-9]{4}-[0-9]{2}-[0-9]{2}"
                    "(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2}))?$"));
}

Codec<std::int64_t> node_count() {
  return scalar<std::int64_t>(parse_node_count, print_node_count,
                              string_schema("^[0-9]+ ?(nodes|node)$"));
}

Codec<std::int64_t> permille(std::int64_t low, std::int64_t high) {
  const auto parse = [=](std::string_view text) { return parse_permille(text, low, high); };
  Value schema = Value::map({{"type", Value::string("number")},
                             {"minimum", Value::number(low / 1000)},
                             {"maximum", Value::number(high / 1000)}});
  return unquoted(scalar<std::int64_t>(parse, print_permille, std::move(schema)), "a number");
}

Codec<std::int64_t> whole_number(std::int64_t low, std::int64_t high) {
  const auto parse = [=](std::string_view text) { return parse_integer(text, low, high); };
  const auto print = [](const std::int64_t& value) { return std::to_string(value); };
  return unquoted(scalar<std::int64_t>(parse, print, integer_schema(low, high)), "a number");
}

Codec<int> small_number(int low, int high) {
  const auto parse = [=](std::string_view text) -> Result<int> {
    return parse_integer(text, low, high).map([](std::int64_t n) { return static_cast<int>(n); });
  };
  const auto print = [](const int& value) { return std::to_string(value); };
  return unquoted(scalar<int>(parse, print, integer_schema(low, high)), "a number");
}

Codec<bool> yes_or_no() {
  const auto parse = [](std::string_view text) -> Result<bool> {
    if (text == "true" || text == "false") return text == "true";
    return base::fail(shown(text) + " is not true or false");
  };
  const auto print = [](const bool& value) -> std::string { return value ? "true" : "false"; };
  return unquoted(scalar<bool>(parse, print, Value::map({{"type", Value::string("boolean")}})),
                  "true or false");
}

Codec<std::string> free_text() {
  const auto parse = [](std::string_view text) -> Result<std::string> { return std::string(text); };
  Codec<std::string> codec =
      scalar<std::string>(parse, [](const std::string& text) { return text; }, string_schema(""));
  codec.write = [](const std::string& text) { return Value::string(text); };
  return codec;
}

Codec<std::string> text() {
  Codec<std::string> codec = free_text();
  codec.schema.set("minLength", Value::number(1));
  codec.read = [read = codec.read](const Value& value, Context& context, std::string& into) {
    read(value, context, into);
    if (value.is_scalar() && value.text.empty()) context.problem(value, "the text is empty");
  };
  return codec;
}

Codec<std::string> line() {
  Codec<std::string> codec = text();
  codec.schema.set("pattern", Value::string(R"(^[^\x00-\x1f\x7f]+$)"));
  codec.read = [read = codec.read](const Value& value, Context& context, std::string& into) {
    read(value, context, into);
    if (is_one_line(value.text)) return;
    context.problem(value, shown(value.text) + " has a control character");
  };
  return codec;
}

Codec<std::string> command() {
  Codec<std::string> codec = text();
  codec.schema.set("pattern", Value::string(R"(^[^\x00]+$)"));
  codec.read = [read = codec.read](const Value& value, Context& context, std::string& into) {
    read(value, context, into);
    if (value.text.find('\0') == std::string::npos) return;
    context.problem(value, shown(value.text) + " has a NUL character");
  };
  return codec;
}

Codec<std::string> name() {
  Codec<std::string> codec = free_text();
  codec.schema = any_of({string_schema("^[A-Za-z0-9._-]+$"), integer_schema(0, 1'000'000'000'000)});
  codec.read = [](const Value& value, Context& context, std::string& into) {
    if (!expect_kind(value, context, Value::Kind::kScalar)) return;
    into = value.text;
    if (is_name(value.text)) return;
    context.problem(value, shown(value.text) + " is not a name (letters, digits, - _ and .)");
  };
  return codec;
}

Codec<std::string> node_names() {
  Codec<std::string> codec = text();
  codec.read = [read = codec.read](const Value& value, Context& context, std::string& into) {
    read(value, context, into);
    if (into.empty()) return;
    const auto names = expand_names(into);
    if (!names) context.problem(value, names.error().message);
  };
  return codec;
}

Codec<std::vector<std::pair<std::string, std::string>>> text_map() {
  using Map = std::vector<std::pair<std::string, std::string>>;
  Codec<Map> codec;
  const Value scalar_schema =
      any_of({string_schema(""), Value::map({{"type", Value::string("number")}}),
              Value::map({{"type", Value::string("boolean")}})});
  codec.schema =
      Value::map({{"type", Value::string("object")}, {"additionalProperties", scalar_schema}});
  codec.read = [](const Value& value, Context& context, Map& into) {
    if (!expect_kind(value, context, Value::Kind::kMap)) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Context::Inside inside(context, "." + value.keys[i]);
      if (value.keys[i].empty()) context.problem(value.items[i], "the key is empty");
      if (!expect_kind(value.items[i], context, Value::Kind::kScalar)) continue;
      into.emplace_back(value.keys[i], value.items[i].text);
    }
    std::sort(into.begin(), into.end());
  };
  codec.write = [](const Map& from) {
    Value value = Value::map();
    for (const auto& [key, item] : from) value.set(key, Value::string(item));
    return value;
  };
  return codec;
}

Codec<std::vector<std::pair<std::string, std::string>>> environment() {
  using Map = std::vector<std::pair<std::string, std::string>>;
  Codec<Map> codec = text_map();
  codec.schema.set("propertyNames", string_schema(R"(^[^=\x00-\x1f\x7f]+$)"));
  codec.read = [read = codec.read](const Value& value, Context& context, Map& into) {
    read(value, context, into);
    for (const auto& [key, item] : into) {
      if (key.find('=') != std::string::npos || !is_one_line(key)) {
        context.problem(value, shown(key) + " is not a name for a variable");
      }
      if (item.find('\0') != std::string::npos) {
        context.problem(value, shown(key) + ": " + shown(item) + " has a NUL character");
      }
    }
  };
  return codec;
}

Result<std::size_t> parse_choice(std::string_view text, const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::string near = nearest(text, choices);
  const std::string help = near.empty() ? "" : "; did you mean " + near + "?";
  return base::fail(fmt::format("{} is not {}{}", shown(text), one_of(choices), help));
}

Value choice_schema(const std::vector<std::string>& choices) {
  Value words = Value::list();
  for (const std::string& word : choices) words.items.push_back(Value::string(word));
  return Value::map({{"enum", std::move(words)}});
}

Codec<model::Level> level() {
  using model::Level;
  return choice<Level>({{"node", Level::kNode},
                        {"nvlink_domain", Level::kNvlinkDomain},
                        {"rack", Level::kRack},
                        {"leaf", Level::kLeaf},
                        {"pod", Level::kPod}});
}

}  // namespace headroom::formats

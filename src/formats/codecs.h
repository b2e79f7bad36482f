// Codecs of single values: quantities, numbers, words, texts, maps of texts. Each says what is
// allowed in its error and in its schema.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/codec.h"
#include "model/cluster.h"
#include "model/fabric.h"

namespace headroom::formats {

Codec<base::Bytes> bytes();
Codec<base::BytesPerSecond> byte_rate();  // written in bytes/s
Codec<base::BytesPerSecond> bit_rate();   // written in bits/s; both read both
Codec<base::Watts> power();
Codec<base::Duration> duration();
Codec<base::Bytes> bytes_per_step();
Codec<base::Operations> operations();
Codec<base::CpuMilli> cores();
Codec<base::Time> point_in_time();
Codec<std::int64_t> node_count();                                   // '32 nodes'
Codec<std::int64_t> permille(std::int64_t low, std::int64_t high);  // a decimal number: 1.3
Codec<bool> yes_or_no();                                            // true, false

// A text that is not empty. `free_text` may be, and may have several lines.
Codec<std::string> text();
Codec<std::string> free_text();
// A text that is not empty and has no control characters: a name for people, a path.
Codec<std::string> line();
// A text that is not empty, perhaps of several lines; no NUL.
Codec<std::string> command();
// A word of letters, digits and - _ . (a name).
Codec<std::string> name();
// A pattern of node names: h[001-032].
Codec<std::string> node_names();
// {key: text, …}, sorted by key.
Codec<std::vector<std::pair<std::string, std::string>>> text_map();
// The same, of variables of a process: no '=' in a name, no NUL in a value.
Codec<std::vector<std::pair<std::string, std::string>>> environment();

// Any value of T that stands as one scalar. `parse` -> Result<T>, `print` -> std::string.
template <class T>
Codec<T> scalar(std::function<base::Result<T>(std::string_view)> parse,
                std::function<std::string(const T&)> print, Value schema) {
  return {.read =
              [parse = std::move(parse)](const Value& value, Context& context, T& into) {
                if (!expect_kind(value, context, Value::Kind::kScalar)) return;
                base::Result<T> result = parse(value.text);
                if (result) {
                  into = std::move(*result);
                } else {
                  context.problem(value, result.error().message);
                }
              },
          .write = [print = std::move(print)](const T& from) { return Value::plain(print(from)); },
          .schema = std::move(schema)};
}

// A whole number in low..high; not in quotes.
Codec<std::int64_t> whole_number(std::int64_t low, std::int64_t high);
Codec<int> small_number(int low, int high);

// Checks that a word is among the choices. Error: with the nearest.
base::Result<std::size_t> parse_choice(std::string_view text,
                                       const std::vector<std::string>& choices);
Value choice_schema(const std::vector<std::string>& choices);

// One of the words of an enumeration.
template <class T>
Codec<T> choice(std::vector<std::pair<std::string, T>> words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto parse = [words, names](std::string_view text) -> base::Result<T> {
    return parse_choice(text, names).map([&](std::size_t i) { return words[i].second; });
  };
  const auto print = [words](const T& value) -> std::string {
    for (const auto& [word, known] : words) {
      if (known == value) return word;
    }
    return "";
  };
  return scalar<T>(parse, print, choice_schema(names));
}

Codec<model::Level> level();

// Schema helpers.
Value string_schema(std::string_view pattern);
Value integer_schema(std::int64_t low, std::int64_t high);
Value any_of(std::vector<Value> schemas);

}  // namespace headroom::formats

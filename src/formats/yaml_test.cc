#include "formats/yaml.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/rng.h"
#include "formats/file.h"
#include "formats/json.h"

namespace headroom::formats {

namespace {

std::string errors(const std::string& text) {
  Problems problems("f");
  parse_yaml(text, problems);
  return problems.empty() ? "accepted" : problems.error().value().message;
}

Value read(const std::string& text) {
  Problems problems("f");
  std::vector<Value> documents = parse_yaml(text, problems);
  EXPECT_TRUE(problems.empty()) << problems.error().value().message << "\n" << text;
  return documents.empty() ? Value{} : documents.front();
}

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// The same tree, whatever the lines.
bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text || a.keys != b.keys) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
}

std::string random_text(base::Rng& rng) {
  const std::vector<std::string> pieces{
      "a", "0", "-", ":",    " ",    "#",   "\"", "'",  "\\", "\n",  "\t",  "{",
      "}", "[", "]", ",",    "&",    "*",   "!",  "%",  "@",  "`",   "|",   ">",
      "?", "~", "é", "null", "true", "1e3", "=",  "\r", "<<", "---", "...", "\xe2\x80\xa8"};
  std::string text;
  const std::uint64_t length = rng.below(5);
  for (std::uint64_t i = 0; i < length; ++i) text += pieces[rng.below(pieces.size())];
  return text;
}

Value random_value(base::Rng& rng, int depth) {
  const std::uint64_t kind = rng.below(depth > 4 ? 1 : 4);
  if (kind == 0) return Value::string(random_text(rng));
  if (kind == 1) return Value::number(rng.between(-5, 1000));
  Value value = kind == 2 ? Value::list() : Value::map();
  const std::uint64_t size = rng.below(4);
  for (std::uint64_t i = 0; i < size; ++i) {
    if (kind == 2) {
      value.items.push_back(random_value(rng, depth + 1));
    } else {
      value.set(random_text(rng), random_value(rng, depth + 1));
    }
  }
  return value;
}

}  // namespace

TEST(Yaml, KeepsOrderAndLines) {
  const Value value = read("b: 1\na:\n  - x\n  - {y: 'z'}\n");
  EXPECT_EQ(value.keys, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(value.find("a")->items[1].line, 4);
  EXPECT_TRUE(value.find("a")->items[1].find("y")->is_text);
  EXPECT_FALSE(value.find("b")->is_text);
}

TEST(Yaml, DuplicateKeysAreErrors) {
  EXPECT_EQ(errors("a: 1\nb: 2\na: 3\n"), "f:3: key a is there twice (first in line 1)");
  EXPECT_EQ(errors("x: {k: 1, k: 2}\n"), "f:1: key k is there twice (first in line 1)");
}

TEST(Yaml, BombsAreRefused) {
  EXPECT_EQ(errors("a: &x [1, 2]\nb: *x\n"), "f:1: anchors (&name) are not allowed");
  EXPECT_EQ(errors("a: !!python/object x\n"),
            "f:1: tags (tag:yaml.org,2002:python/object) are not allowed");
  EXPECT_EQ(errors(repeat("[", 25) + repeat("]", 25)), "f:1: nested more than 24 deep");
  EXPECT_EQ(errors(repeat("[", 1'000'000)), "f:1: more than 10000 open brackets");
  EXPECT_EQ(errors(repeat("{a: ", 1'000'000)), "f:1: more than 10000 open brackets");
  EXPECT_NE(errors(repeat("[", 10'000)), "accepted");
  EXPECT_EQ(errors(repeat("- ", 10'000) + "a"), "f:1: nested more than 24 deep");
  EXPECT_EQ(errors("? [a, b]\n: c\n"), "f:1: a key must be a word, not a list or a map");
}

TEST(Yaml, WhatIsNotTextIsRefused) {
  EXPECT_EQ(errors(std::string("a: b\n\0", 6)), "f:2: byte 0x00 is not text (UTF-8 is expected)");
  EXPECT_EQ(errors("a: \xff\n"), "f:1: byte 0xff is not text (UTF-8 is expected)");
  EXPECT_EQ(errors("a: \xc0\xaf\n"), "f:1: byte 0xc0 is not text (UTF-8 is expected)");
  EXPECT_EQ(errors("a: \xed\xa0\x80\n"), "f:1: byte 0xed is not text (UTF-8 is expected)");
  EXPECT_EQ(errors("a: \xf0\x9f\x98\x80\n"), "accepted");
}

TEST(Yaml, BrokenSyntaxHasALine) {
  EXPECT_EQ(errors("a: [1, 2\nb: 3\n").substr(0, 4), "f:2:");
  EXPECT_EQ(errors("a: 1\n\tb: 2\n").substr(0, 4), "f:2:");
}

TEST(Yaml, WhatIsWrittenIsReadAgain) {
  base::Rng rng(7);
  for (int i = 0; i < 5000; ++i) {
    const Value value = random_value(rng, 0);
    const std::string text = print_yaml(value);
    const Value again = read(text);
    if (value.is_scalar() && value.text.empty()) continue;
    ASSERT_TRUE(same(value, again)) << text << "\n---\n" << print_yaml(again);
  }
}

TEST(Json, TextsAreQuotedAndNumbersAreNot) {
  const Value value =
      Value::map({{"a", Value::number(3)},
                  {"b", Value::string("3")},
                  {"c", Value::list({Value::boolean(true), Value::plain("2TiB")})}});
  EXPECT_EQ(print_json(value), "{\"a\": 3, \"b\": \"3\", \"c\": [true, \"2TiB\"]}\n");
  const Value wide = Value::list({Value::string(std::string(60, 'x')), Value::number(-4),
                                  Value::string(std::string(60, 'y'))});
  EXPECT_EQ(print_json(wide), "[\n  \"" + std::string(60, 'x') + "\",\n  -4,\n  \"" +
                                  std::string(60, 'y') + "\"\n]\n");
}

TEST(File, TooLargeAndOddFilesAreRefused) {
  const std::string path = ::testing::TempDir() + "headroom_file_test";
  std::ofstream(path) << "hello";
  EXPECT_EQ(*read_file(path, 5), "hello");
  EXPECT_EQ(read_file(path, 4).error().message, path + ": 5 bytes are more than the 4 allowed");
  EXPECT_EQ(read_file("/dev/zero", 4).error().message, "/dev/zero: this is not a regular file");
  EXPECT_EQ(read_file("/", 4).error().message, "/: this is not a regular file");
  EXPECT_EQ(read_file("/no/such", 4).error().message,
            "/no/such: cannot be opened: No such file or directory");
}

}  // namespace headroom::formats

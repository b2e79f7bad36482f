#include "formats/json_parser.h"

#include "formats/json.h"

namespace headroom::formats {
namespace {

std::string error_of(const std::string& text) {
  const auto value = parse_json("f.json", text);
  return value ? "read " + print_json_line(*value) : value.error().message;
}

TEST(JsonParser, ValuesKeepTheirLine) {
  const auto value =
      parse_json("f", "{\n \"a\": [1, -2.5e3,\n true, null],\n \"b\": {\"c\": \"x\"}}\n");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->find("a")->items.at(0).line, 2);
  EXPECT_EQ(value->find("a")->items.at(2).line, 3);
  EXPECT_EQ(value->find("b")->find("c")->text, "x");
  EXPECT_EQ(value->find("b")->key_line, 4);
}

TEST(JsonParser, TextsAreUnescaped) {
  const auto value = parse_json("f", R"(["\"\\\/\n\t", "\u00e9\ud83d\ude00", "\ud83d"])");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->items[0].text, "\"\\/\n\t");
  EXPECT_EQ(value->items[1].text, "\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(value->items[2].text, "\xef\xbf\xbd");
}

TEST(JsonParser, WhatIsNotJsonIsRefusedWithItsLine) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 2}"), "f.json:2: a is there twice");
  EXPECT_EQ(error_of("[1,\n 2"), "f.json:2: the file ends in the middle of a value");
  EXPECT_EQ(error_of("{\"a\": tru"), "f.json:1: the file ends in the middle of a value");
  EXPECT_EQ(error_of("[01]"), "f.json:1: 01 is not a value (such as 42, \"text\", true or null)");
  EXPECT_EQ(error_of("[1] 2"), "f.json:1: text follows the end of the value");
  EXPECT_EQ(error_of("[1 2]"), "f.json:1: ',' or ']' is expected");
  EXPECT_EQ(error_of("{1: 2}"), "f.json:1: a text in double quotes is expected");
  EXPECT_EQ(error_of(std::string(100, '[')), "f.json:1: values are nested deeper than 64");
  EXPECT_EQ(error_of(""), "f.json:1: the file ends in the middle of a value");
}

TEST(JsonParser, ItemsOfALargeListAreHandedOver) {
  std::vector<std::string> seen;
  const auto rest = parse_json_items("f", R"({"x": [0], "jobs": [1, {"jobs": [2]}, 3], "y": 4})",
                                     "jobs", [&](const Value& item) -> base::Result<void> {
                                       seen.push_back(print_json_line(item));
                                       return {};
                                     });
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "{\"jobs\": [2]}", "3"}));
  EXPECT_EQ(print_json_line(*rest), "{\"x\": [0], \"jobs\": [], \"y\": 4}");
}

}  // namespace
}  // namespace headroom::formats

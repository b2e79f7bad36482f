#include "cli/table.h"

#include "cli/text.h"

namespace headroom::cli {
namespace {

Table two_rows() {
  Table table({{"NAME", true}, {"VALUE", false}});
  table.add_row({"a-rather-long-name", "1"});
  table.add_row({"b", "23.5"});
  return table;
}

TEST(Table, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(two_rows().render({}),
            "NAME                VALUE\n"
            "a-rather-long-name      1\n"
            "b                    23.5\n");
}

TEST(Table, ShortensTextToFitTheTerminal) {
  EXPECT_EQ(two_rows().render({.width = 18}),
            "NAME         VALUE\n"
            "a-rather-l…      1\n"
            "b             23.5\n");
}

TEST(Table, NoLineIsLongerThanTheTerminal) {
  for (std::size_t width = 1; width < 40; ++width) {
    const std::string text = two_rows().render({.width = width});
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      EXPECT_LE(display_width(text.substr(start, end - start)), width);
      start = end + 1;
    }
  }
}

}  // namespace
}  // namespace headroom::cli

#include "cli/text.h"

namespace headroom::cli {
namespace {

TEST(Text, OutsideNamesCannotWriteToTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\x9b\n"), "a?[2Jb??");
  EXPECT_EQ(printable("Größe ± …"), "Größe ± …");
  EXPECT_EQ(printable("\xc2\x9b"), "?");
  EXPECT_EQ(printable("\xff\xe2\x82"), "???");
}

TEST(Text, WidthCountsCodePoints) {
  EXPECT_EQ(display_width("1 ± 2"), 5u);
  EXPECT_EQ(shortened("ääää", 3), "ää…");
  EXPECT_EQ(shortened("ääää", 4), "ääää");
}

TEST(Text, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three", 8), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("a-very-long-word b", 4), "a-very-long-word\nb");
  EXPECT_EQ(wrapped("one\n\ntwo", 80, 2), "one\n\n  two");
  EXPECT_EQ(wrapped("one two", 0), "one two");
}

TEST(Text, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(6212), "6,212");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace headroom::cli

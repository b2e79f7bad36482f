#include "base/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headroom::base {
namespace {

Digest of(const std::vector<std::string>& texts) {
  Digest digest;
  for (const std::string& text : texts) digest.add(text);
  return digest;
}

TEST(Digest, DependsOnTheOrderOfWhatIsAdded) {
  EXPECT_NE(of({"a", "b"}).value(), of({"b", "a"}).value());
}

TEST(Digest, KeepsNeighbouringTextsApart) {
  EXPECT_NE(of({"ab", "c"}).value(), of({"a", "bc"}).value());
  EXPECT_NE(of({""}).value(), Digest{}.value());
}

TEST(Digest, UnorderedPartsMayComeInAnyOrder) {
  Digest one, other;
  one.unordered(of({"a"}));
  one.unordered(of({"b"}));
  other.unordered(of({"b"}));
  other.unordered(of({"a"}));
  EXPECT_EQ(one.value(), other.value());
  other.unordered(of({"b"}));
  EXPECT_NE(one.value(), other.value());
}

TEST(Digest, IsSixteenHexadecimalDigits) {
  EXPECT_EQ(to_hex(0x1f), "000000000000001f");
  EXPECT_EQ(to_hex(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace headroom::base

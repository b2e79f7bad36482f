#include "model/catalogue.h"

#include <gtest/gtest.h>

namespace headroom::model {

using Names = std::vector<std::string>;

TEST(Catalogue, AWishIsANameOrAPrefixUpToAHyphen) {
  const Names names{"H100-SXM", "H100-PCIe", "A10", "A100-40-SXM", "A100-80-SXM", "A100-80-PCIe"};
  EXPECT_EQ(matching_names("h100", names), (Names{"H100-SXM", "H100-PCIe"}));
  EXPECT_EQ(matching_names("h100-sxm", names), (Names{"H100-SXM"}));
  EXPECT_EQ(matching_names("A10", names), (Names{"A10"}));
  EXPECT_EQ(matching_names("A100-80", names), (Names{"A100-80-SXM", "A100-80-PCIe"}));
  EXPECT_EQ(matching_names("A100-8", names), Names{});
  EXPECT_EQ(matching_names("", names), Names{});
}

}  // namespace headroom::model

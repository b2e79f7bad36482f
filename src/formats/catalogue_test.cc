#include "formats/catalogue.h"

#include <gtest/gtest.h>

#include "formats/mig_profiles.h"

namespace headroom::formats {

using model::MigProfile;
using model::Product;

namespace {

std::string profile_error(const std::string& text, int slices = 8) {
  Product product;
  const auto done = parse_mig_profiles(text, slices, product);
  return done ? "accepted" : done.error().message;
}

}  // namespace

TEST(Catalogue, TheBuiltInOneIsRead) {
  const auto products = read_products("hardware.csv", built_in_hardware_csv());
  ASSERT_TRUE(products) << products.error().message;
  EXPECT_EQ(products->size(), 20U);
  const auto fabrics = read_reference_fabrics("fabric_sizes.csv", built_in_fabric_csv());
  ASSERT_TRUE(fabrics) << fabrics.error().message;
  EXPECT_EQ(fabrics->size(), 15U);
  for (const Product& product : *products) EXPECT_FALSE(product.source_specs.empty());
}

// Source: NVIDIA data sheet and MIG user guide for the H100 (in the row of the catalogue).
TEST(Catalogue, KnowsTheH100) {
  const Product* h100 = built_in_catalogue().find("h100-sxm");
  ASSERT_NE(h100, nullptr);
  EXPECT_EQ(h100->gpu.memory, base::gigabytes(80));
  EXPECT_EQ(h100->bf16_dense, base::FlopPerSecond{989'000'000'000'000});
  EXPECT_EQ(h100->bf16_achievable, base::FlopPerSecond{794'500'000'000'000});
  EXPECT_EQ(h100->gpus_per_node, 8);
  EXPECT_EQ(h100->node_power, base::Watts{10'200});
  EXPECT_EQ(h100->gpu.mig_slices, 8);
  const MigProfile* half = h100->gpu.profile("3g.40gb");
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(*half, (MigProfile{.name = "3g.40gb", .size = 4, .starts = 0b10001, .max_per_gpu = 2}));
}

TEST(Catalogue, DoesNotInventPlacementTables) {
  const Product* rtx = built_in_catalogue().find("RTX-PRO-6000-BSE");
  ASSERT_NE(rtx, nullptr);
  EXPECT_EQ(rtx->gpu.mig_slices, 0);
  EXPECT_TRUE(rtx->gpu.mig_profiles.empty());
  EXPECT_EQ(rtx->unplaceable_profiles.size(), 3U);
  EXPECT_EQ(built_in_catalogue().find("MI300X")->gpu.mig_slices, 0);
  EXPECT_EQ(built_in_catalogue().find("GB200-NVL72-GPU")->node_power, base::Watts{0});
}

TEST(Catalogue, AnotherSpellingOfAProfileIsKnown) {
  using Aliases = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(built_in_catalogue().find("B300-SXM")->profile_aliases,
            (Aliases{{"7g.270gb", "7g.269gb"}}));
}

TEST(Catalogue, BadProfilesAreErrors) {
  EXPECT_EQ(profile_error("1g.10gb|start=0-8|size=1|max=7"), "start 8 is not in 0..7");
  EXPECT_EQ(profile_error("4g.40gb|start=0,6|size=4|max=1"),
            "4g.40gb of size 4 does not fit at start 6 of 8 slices");
  EXPECT_EQ(profile_error("1g.10gb|start=0|size=1"), "1g.10gb needs size= and max=");
  EXPECT_EQ(profile_error("1g|start=0"), "1g is not a MIG profile (such as 2g.20gb)");
  EXPECT_EQ(profile_error("none"), "none is given for a GPU that has memory slices");
  EXPECT_EQ(profile_error("1g.5gb|start=0|size=1|max=1", 0),
            "profiles are given for a GPU without memory slices");
  EXPECT_EQ(profile_error("none", 0), "accepted");
}

TEST(Catalogue, ABadCellIsNamed) {
  std::string text = built_in_hardware_csv();
  text.replace(text.find("40,1555"), 2, "4x");
  const auto products = read_products("hardware.csv", text);
  ASSERT_FALSE(products);
  EXPECT_EQ(products.error().message, "hardware.csv:2: hbm_gb: 4x is not a number");
}

}  // namespace headroom::formats

#include "engine/local_ledger.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/testing/local_host.h"

namespace headroom::engine {
namespace {

class LocalLedgerTest : public testing::Test {
 protected:
  LocalLedger open() const {
    LocalLedger ledger;
    const auto opened = ledger.open(path_);
    EXPECT_TRUE(opened) << opened.error().message;
    return ledger;
  }
  LocalPlace place_;
  std::string path_ = place_.scratch() + "/launched";
};

TEST_F(LocalLedgerTest, WhatWasAddedAndNotForgottenIsReadBack) {
  LocalLedger ledger = open();
  ASSERT_TRUE(ledger.add({{"1-1", {7, "boot"}}, {"2.5-1", {8, "boot"}}}));
  ASSERT_TRUE(ledger.add({{"3-1", {8, "boot"}}}));
  ledger.forget("2.5-1");
  EXPECT_EQ(open().entries(), (LocalLedger::Entries{{"1-1", {7, "boot"}}, {"3-1", {8, "boot"}}}));
}

TEST_F(LocalLedgerTest, ATornLineDoesNotCountAndHarmsNoOther) {
  ASSERT_TRUE(replace_file(path_, "1-1 7 boot\n2-1 7 bo", false));
  LocalLedger ledger = open();
  EXPECT_EQ(ledger.entries().size(), 1u);
  ASSERT_TRUE(ledger.add({{"3-1", {7, "boot"}}}));
  EXPECT_EQ(open().entries(), (LocalLedger::Entries{{"1-1", {7, "boot"}}, {"3-1", {7, "boot"}}}));
}

TEST_F(LocalLedgerTest, ItDoesNotGrowForEver) {
  LocalLedger ledger = open();
  for (int i = 0; i < 60'000; ++i)
    ledger.forget("some-long-name-of-an-allocation-" + std::to_string(i));
  EXPECT_LT(std::filesystem::file_size(path_), 1u << 20);
}

}  // namespace
}  // namespace headroom::engine

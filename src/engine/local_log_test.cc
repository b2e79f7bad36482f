#include "engine/local_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/local_folder.h"
#include "engine/testing/local_host.h"

namespace headroom::engine {
namespace {

class LocalLogTest : public testing::Test {
 protected:
  LocalLogTest() { EXPECT_TRUE(make_folder(folder_)); }
  LogWriter writer(std::int64_t segment = 10, int keep = 3) {
    LogWriter log(folder_, 0, segment, keep);
    EXPECT_TRUE(log.open());
    return log;
  }
  LogPiece read(std::int64_t offset, std::int64_t most = 1000) const {
    return logs_.read(id_, 0, offset, most).value();
  }
  std::string tail(std::int64_t lines, std::int64_t most = 1000) const {
    return logs_.tail(id_, 0, lines, most)->bytes;
  }

  LocalPlace place_;
  model::AllocationId id_{.job = {.number = 5}, .attempt = 1};
  std::string folder_ = LocalFolder(place_.options.folder).logs(id_);
  LocalLogs logs_{place_.options.folder};
};

TEST_F(LocalLogTest, BytesKeepTheirNumbersAcrossSegments) {
  LogWriter log = writer();
  ASSERT_TRUE(log.append("0123456789abcdefghijABC"));
  EXPECT_EQ(logs_.extent(id_, 0).value(), (LogExtent{0, 23}));
  EXPECT_EQ(read(0).bytes, "0123456789abcdefghijABC");
  EXPECT_EQ(read(8, 5).bytes, "89abc");
  EXPECT_EQ(read(20).bytes, "ABC");
  EXPECT_EQ(read(20).next(), 23);
}

TEST_F(LocalLogTest, TheOldestSegmentsGo) {
  LogWriter log = writer();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(log.append("0123456"));
  EXPECT_EQ(logs_.extent(id_, 0).value(), (LogExtent{40, 70}));
  const LogPiece piece = read(3, 4);
  EXPECT_EQ(piece.offset, 40) << "the oldest that is kept";
  EXPECT_EQ(piece.bytes, "5601");
}

TEST_F(LocalLogTest, AtAndBeyondTheEndThereIsNothing) {
  LogWriter log = writer();
  ASSERT_TRUE(log.append("abc"));
  EXPECT_EQ(read(3).bytes, "");
  EXPECT_EQ(read(3).next(), 3);
  EXPECT_EQ(read(99).offset, 3);
  ASSERT_TRUE(log.append("def"));
  EXPECT_EQ(read(3).bytes, "def") << "followed by its offset";
}

TEST_F(LocalLogTest, TailCountsLines) {
  LogWriter log = writer(100, 3);
  EXPECT_EQ(tail(5), "") << "an empty log";
  ASSERT_TRUE(log.append("one\ntwo\nthree\n"));
  EXPECT_EQ(tail(1), "three\n");
  EXPECT_EQ(tail(2), "two\nthree\n");
  EXPECT_EQ(tail(9), "one\ntwo\nthree\n");
  EXPECT_EQ(tail(0), "");
  ASSERT_TRUE(log.append("fo"));
  EXPECT_EQ(tail(1), "fo") << "a line that is not finished is one";
  EXPECT_EQ(tail(2), "three\nfo");
  EXPECT_EQ(tail(9, 4), "e\nfo") << "at most so many bytes";
}

TEST_F(LocalLogTest, TailOfALongLogLooksFarEnoughBack) {
  LogWriter log = writer(1'000'000, 3);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(log.append(text));
  const std::string last = tail(10'000, 1 << 20);
  EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 10'000);
  EXPECT_TRUE(last.starts_with("line 10000\n"));
}

TEST_F(LocalLogTest, WhatIsNoSegmentIsNotRead) {
  LogWriter log = writer();
  ASSERT_TRUE(log.append("abc"));
  ASSERT_TRUE(replace_file(folder_ + "/0.secret", "x", false));
  ASSERT_EQ(symlink("/etc/passwd", (folder_ + "/0.00000000000000000003").c_str()), 0);
  const LogPiece piece = read(0);
  EXPECT_EQ(piece.bytes, "abc") << "a link leads nowhere";
  EXPECT_FALSE(logs_.read(id_, -1, 0, 10));
  EXPECT_FALSE(logs_.extent({.job = {.number = 6}, .attempt = 1}, 0));
}

}  // namespace
}  // namespace headroom::engine

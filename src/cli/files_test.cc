#include "cli/files.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "files_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(Files, AppearWhenTheyAreDone) {
  std::ofstream(path("out")) << "before";
  auto file = PendingFile::create(path("out"));
  ASSERT_TRUE(file);
  EXPECT_EQ(text_of("out"), "before");
  ASSERT_TRUE(file->commit("after"));
  EXPECT_EQ(text_of("out"), "after");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, LeaveNothingWhenTheyAreGivenUp) {
  {
    ASSERT_TRUE(PendingFile::create(path("out")));
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, ALinkStaysALink) {
  std::ofstream(path("real")) << "before";
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(PendingFile::create(path("link"))->commit("after"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of("real"), "after");
}

TEST_F(Files, WhatIsNotAFileIsRefused) {
  EXPECT_FALSE(PendingFile::create("/dev/null"));
  EXPECT_FALSE(PendingFile::create(folder_.string()));
  EXPECT_FALSE(PendingFile::create(""));
  EXPECT_FALSE(PendingFile::create(path("no/folder")));
}

}  // namespace
}  // namespace headroom::cli

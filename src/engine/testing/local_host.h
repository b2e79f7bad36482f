// A folder for a local engine and its jobs, for tests; removed at the end.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/local_engine.h"

namespace headroom::engine {

class LocalPlace {
 public:
  LocalPlace() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "headroom-engine-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(scratch());
    std::filesystem::permissions(scratch(), std::filesystem::perms::all);
    std::filesystem::permissions(root_, std::filesystem::perms{0755});
    options.folder = root_ + "/engine";
    options.hub = {hub_program(), options.folder};
    options.nvml = "";
  }
  ~LocalPlace() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  LocalPlace(const LocalPlace&) = delete;
  LocalPlace& operator=(const LocalPlace&) = delete;

  static std::string hub_program() { return beside("headroom-test-hub"); }
  // What the build puts beside this test.
  static std::string beside(const std::string& name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
  }

  std::string scratch() const { return root_ + "/scratch"; }
  std::unique_ptr<Engine> open() const {
    auto engine = open_local_engine(options);
    EXPECT_TRUE(engine) << engine.error().message;
    if (!engine) std::abort();
    return std::move(*engine);
  }

  LocalOptions options;

 private:
  std::string root_;
};

}  // namespace headroom::engine

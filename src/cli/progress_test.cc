#include "cli/progress.h"

#include <cstdlib>

namespace headroom::cli {
namespace {

TEST(Progress, SaysRateAndTimeLeft) {
  EXPECT_EQ(progress_text(400, 800, 8, "run"), "400/800 runs, 50.0 runs/s, about 8 s left");
}

TEST(Progress, SlowWorkHasItsRateInSeconds) {
  EXPECT_EQ(progress_text(2, 100, 20, "run"), "2/100 runs, 10.0 s a run, about 16 min left");
}

TEST(Progress, NothingDoneHasNoRate) { EXPECT_EQ(progress_text(0, 5, 3, "run"), "0/5 runs"); }

TEST(Progress, WritesNothingWithoutATerminal) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  {
    Progress progress(stream, Terminal{}, "run", 10);
    progress.update(5);
  }
  std::fclose(stream);
  EXPECT_EQ(size, 0u);
  std::free(text);
}

}  // namespace
}  // namespace headroom::cli

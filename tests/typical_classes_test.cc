// The typical classes of the real default list are the published ones, in the published order.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "formats/openb.h"
#include "schedule/task_mix.h"

namespace headroom::tests {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(HEADROOM_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// cpu, GPU milli each, GPUs, count: the columns 2-4 and 6 of the published table.
std::string row_of(const schedule::TaskClass& one) {
  const model::GpuRequest& gpu = one.request.gpu;
  const bool whole = gpu.kind == model::GpuRequest::Kind::kWhole;
  const int count = gpu.kind == model::GpuRequest::Kind::kNone ? 0 : whole ? gpu.count : 1;
  std::ostringstream row;
  row << one.request.cpu.value() << ',' << (whole ? 1000 : gpu.share.value()) << ',' << count << ','
      << one.count;
  return row.str();
}

TEST(TypicalClasses, OfTheDefaultListAreThePublishedOnes) {
  const auto tasks =
      formats::read_openb_tasks("default", text_of("data/openb/openb_pod_list_default.csv"), {});
  ASSERT_TRUE(tasks) << tasks.error().message;
  const schedule::TaskMix all = schedule::count_classes(tasks->value);
  const schedule::TaskMix typical = schedule::typical_classes(all);

  std::istringstream published(text_of("tests/data/fgd/default_typical_classes.csv"));
  std::string line;
  std::getline(published, line);  // header
  std::size_t i = 0;
  for (; std::getline(published, line); ++i) {
    std::istringstream cells(line);
    std::string rank, cpu, milli, gpus, spec, count;
    std::getline(cells, rank, ',');
    std::getline(cells, cpu, ',');
    std::getline(cells, milli, ',');
    std::getline(cells, gpus, ',');
    std::getline(cells, spec, ',');
    std::getline(cells, count, ',');
    ASSERT_LT(i, typical.size());
    EXPECT_EQ(row_of(typical[i]), cpu + "," + milli + "," + gpus + "," + count) << "rank " << rank;
  }
  EXPECT_EQ(i, 35u);
  EXPECT_EQ(typical.size(), 35u);
}

}  // namespace

}  // namespace headroom::tests

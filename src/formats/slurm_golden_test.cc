// What Slurm printed becomes, to the letter, what tests/data/slurm/ expects.
#include <algorithm>
#include <filesystem>

#include "formats/cluster_yaml.h"
#include "formats/file.h"
#include "formats/history.h"
#include "formats/own_history.h"
#include "formats/slurm_cluster.h"

namespace headroom::formats {
namespace {

const std::string kRoot = HEADROOM_SOURCE_DIR;
const std::string kData = kRoot + "/tests/data/slurm/";

std::string text_of(const std::string& path) {
  const auto text = read_file(path, kLargestCsv);
  EXPECT_TRUE(text) << path;
  return text ? *text : "";
}

TEST(SlurmGolden, RowsOfSacct) {
  const auto history = read_history(kRoot + "/examples/slurm/sacct.txt", HistoryFormat::kAuto, {});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(write_history_csv(*history), text_of(kData + "sacct_expected.csv"));
}

TEST(SlurmGolden, JobsInJsonOfThreeVersions) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && name.find("job") != std::string::npos) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const std::string& file : files) {
    const auto history = read_history(kData + file, HistoryFormat::kAuto, {});
    ASSERT_TRUE(history) << history.error().message;
    lines += write_history_jsonl(*history);
  }
  EXPECT_EQ(lines, text_of(kData + "json_expected.jsonl"));
}

TEST(SlurmGolden, AClusterOfItsConfiguration) {
  const std::string folder = kRoot + "/examples/slurm/";
  const auto imported = import_slurm_cluster(
      {folder + "slurm.conf", folder + "topology.conf", folder + "sacctmgr-assoc.txt"}, {});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(write_cluster_yaml(imported->site), text_of(kData + "cluster_expected.yaml"));
}

}  // namespace
}  // namespace headroom::formats

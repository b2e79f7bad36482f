// Every sample of Slurm's tools in ../shared/data/samples is read, or is refused for a reason that
// is right. The table says which; a sample that is in SOURCES.tsv and not in the table fails.
#include <filesystem>
#include <set>

#include "formats/file.h"
#include "formats/history.h"
#include "formats/own_history.h"
#include "formats/slurm_cluster.h"

namespace headroom::formats {
namespace {

enum class As {
  kJobs,     // a history of so many jobs
  kLenient,  // the same, with bad rows left out; strict: the reason
  kCluster,  // a part of a cluster
  kRefused   // the reason, whatever it is read as
};

struct Sample {
  const char* file;
  As as;
  std::size_t jobs = 0;
  const char* reason = "";
};

constexpr const char* kCut = "the file ends in the middle of a line";
constexpr const char* kOrphans = "there is no job in it";
constexpr const char* kNoForm = "it is in no form of job history that is known";
constexpr const char* kNoList = "there is no list of jobs in it";

const Sample kSamples[] = {
    // Steps alone; what they are steps of was not dumped.
    {"slurm/gcm-sample-sacct-output.txt", As::kRefused, 0, kOrphans},
    {"slurm/gcm-sample-sacct-running-output.txt", As::kRefused, 0, kOrphans},
    {"slurm/gcm-sample-sacct-output-invalid-utf8.txt", As::kJobs, 2},
    // Its only row is the end of one.
    {"slurm/gcm-sample-sacct-output-with-invalid-lines.txt", As::kRefused, 0, "the row has 93"},
    {"slurm/gcm-sample-sacct-one-multiline.txt", As::kLenient, 2, kCut},
    {"slurm/gcm-sample-sacct-output-midnight-edge-case-small.txt", As::kRefused, 0,
     "column Submit is missing"},
    {"slurm/gcm-sample-sacctmgr-qos.txt", As::kCluster},
    {"slurm/gcm-sample-scontrol-output.txt", As::kCluster},
    {"slurm/gcm-sample-scontrol-output-large.txt", As::kCluster},
    {"slurm/gcm-sample-scontrol-show-config-output.txt", As::kCluster},
    {"slurm/gcm-sample-sinfo-output.txt", As::kCluster},
    // Formats that a user chose, without a line of column names.
    {"slurm/gcm-sample-squeue-output.txt", As::kRefused, 0, kNoForm},
    {"slurm/gcm-sinfo-output-for-structured.txt", As::kRefused, 0, kNoForm},
    {"slurm/rivos-sacctmgr.txt", As::kRefused, 0, kNoForm},
    {"slurm/rivos-sinfo_fallback.txt", As::kRefused, 0, kNoForm},
    {"slurm/rivos-squeue_fallback.txt", As::kRefused, 0, kNoForm},
    {"slurm/gcm-scontrol_out_all_gpus.txt", As::kJobs, 1},
    {"slurm/gcm-scontrol_out_main_array_job.txt", As::kJobs, 33},
    {"slurm/gcm-scontrol_out_multi_node.txt", As::kJobs, 1},
    {"slurm/rivos-sinfo_out.json", As::kCluster},
    {"slurm/rivos-squeue_out.json", As::kJobs, 11},
    // The cache of another program: steps by id, without submissions.
    {"slurm/pytokio-sample.slurm", As::kRefused, 0, kNoForm},
    {"slurm-json/24.05_0.0.41-slurm-nodes-TRIMMED15.json", As::kCluster},
    {"slurm-json/24.05_0.0.41-slurm-jobs-TRIMMED12.json", As::kJobs, 12},
    {"slurm-json/24.05_0.0.41-slurm-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/24.05_0.0.41-slurmdb-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/24.05_0.0.41-slurm-partitions.json", As::kCluster},
    {"slurm-json/25.05_0.0.43-slurm-nodes.json", As::kCluster},
    {"slurm-json/25.05_0.0.43-slurm-jobs-TRIMMED12.json", As::kJobs, 12},
    {"slurm-json/25.05_0.0.43-slurm-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/25.05_0.0.43-slurmdb-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/25.05_0.0.43-slurm-partitions.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-nodes.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-jobs-TRIMMED12.json", As::kJobs, 12},
    {"slurm-json/25.11_0.0.44-slurm-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/25.11_0.0.44-slurmdb-job-gpus-gres.json", As::kJobs, 1},
    {"slurm-json/25.11_0.0.44-slurm-partitions.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-node-with-gpus-mixed.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-node-with-gpus-model-mixed.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-job-gpus-multi-nodes.json", As::kJobs, 1},
    {"slurm-json/25.11_0.0.44-slurmdb-job-gpus-multi-nodes.json", As::kJobs, 1},
    {"slurm-json/25.11_0.0.44-slurm-qos.json", As::kCluster},
    {"slurm-json/25.11_0.0.44-slurm-job-pending.json", As::kJobs, 1},
    {"slurm-json/25.11_0.0.44-slurmdb-job-failed.json", As::kJobs, 1},
    // Neither jobs nor a part of a cluster that ours knows.
    {"slurm-json/25.11_0.0.44-slurm-reservations.json", As::kRefused, 0, kNoForm},
    {"slurm-json/telegraf-slurmrestd-reservations.json", As::kRefused, 0, kNoForm},
    {"slurm-json/telegraf-slurmrestd-diag.json", As::kRefused, 0, kNoForm},
    {"slurm-json/telegraf-slurmrestd-jobs.json", As::kJobs, 3},
    {"slurm-json/telegraf-slurmrestd-nodes.json", As::kCluster},
    {"slurm-json/telegraf-slurmrestd-partitions.json", As::kCluster},
    {"slurm-conf/topograph-expected-tree-topology.conf", As::kCluster},
    {"slurm-conf/topograph-expected-block-topology.conf", As::kCluster},
    {"slurm-testbed/gres.conf", As::kCluster},
    {"slurm-testbed/sacct-X-D.txt", As::kJobs, 256},
    {"slurm-testbed/sacct-steps.txt", As::kJobs, 256},
    {"slurm-testbed/sacct.json", As::kJobs, 256},
    {"slurm-testbed/sacctmgr-assoc.txt", As::kCluster},
    {"slurm-testbed/sacctmgr-qos.txt", As::kCluster},
    {"slurm-testbed/scontrol-config.txt", As::kCluster},
    {"slurm-testbed/scontrol-jobs.txt", As::kJobs, 257},
    {"slurm-testbed/scontrol-nodes.txt", As::kCluster},
    {"slurm-testbed/scontrol-partition.txt", As::kCluster},
    {"slurm-testbed/scontrol-topology.txt", As::kCluster},
    {"slurm-testbed/sinfo.json", As::kCluster},
    {"slurm-testbed/slurm.conf", As::kCluster},
    // Tables for people: cut to the width, without submissions.
    {"slurm-testbed/sprio.txt", As::kRefused, 0, kNoForm},
    {"slurm-testbed/squeue-start.txt", As::kRefused, 0, kNoForm},
    {"slurm-testbed/squeue.json", As::kJobs, 257},
    {"slurm-testbed/sshare.txt", As::kCluster},
    {"slurm-testbed/topology.conf", As::kCluster},
};

const std::string& folder() {
  static const std::string path = std::string(HEADROOM_SOURCE_DIR) + "/../shared/data/samples/";
  return path;
}

std::string text_of(const std::string& file) {
  const auto text = read_file(folder() + file, kLargestCsv);
  return text ? *text : "";
}

std::string cluster_error(const std::string& file) {
  const auto imported = import_slurm_texts(
      {{"base.conf", "ClusterName=c\nNodeName=base CPUs=8 RealMemory=1000 Gres=gpu:h100:8\n"},
       {file, text_of(file)}},
      {});
  return imported ? "" : imported.error().message;
}

void check_jobs(const Sample& sample, bool lenient) {
  const auto history =
      read_history(folder() + sample.file, HistoryFormat::kAuto, {.strictness = {lenient}});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), sample.jobs);
  // What was read can be told in our own form, and what that says is the same.
  const auto again =
      read_history_text("again", write_history_csv(*history), HistoryFormat::kHeadroom, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->jobs, history->jobs);
}

void check_refused(const Sample& sample) {
  const auto history = read_history(folder() + sample.file, HistoryFormat::kAuto, {});
  ASSERT_FALSE(history);
  EXPECT_NE(history.error().message.find(sample.reason), std::string::npos)
      << history.error().message;
  EXPECT_EQ(history.error().message.find('\n'), std::string::npos);
}

TEST(SlurmSamples, EachIsReadOrRefusedForTheRightReason) {
  if (!std::filesystem::exists(folder())) GTEST_SKIP() << folder() << " is not there";
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.file);
    switch (sample.as) {
      case As::kJobs:
        check_jobs(sample, false);
        break;
      case As::kLenient:
        check_refused(sample);
        check_jobs(sample, true);
        break;
      case As::kCluster:
        EXPECT_EQ(cluster_error(sample.file), "");
        break;
      case As::kRefused:
        check_refused(sample);
        EXPECT_NE(cluster_error(sample.file), "");
        break;
    }
  }
}

TEST(SlurmSamples, TheTableHasEverySampleOfSlurm) {
  const std::string sources = text_of("SOURCES.tsv");
  if (sources.empty()) GTEST_SKIP() << folder() << "SOURCES.tsv is not there";
  std::set<std::string> known;
  for (const Sample& sample : kSamples) known.insert(sample.file);
  for (std::size_t at = 0; at < sources.size(); at = sources.find('\n', at) + 1) {
    const std::string file = sources.substr(at, sources.find('\t', at) - at);
    if (file.starts_with("slurm")) {
      EXPECT_TRUE(known.contains(file)) << file;
    }
    if (sources.find('\n', at) == std::string::npos) break;
  }
}

// The same jobs of one Slurm, told by its accounting in two forms.
TEST(SlurmSamples, RowsAndJsonOfOneSlurmTellTheSame) {
  const auto rows =
      read_history(folder() + "slurm-testbed/sacct-steps.txt", HistoryFormat::kAuto, {});
  if (!rows) GTEST_SKIP() << rows.error().message;
  const auto json = read_history(folder() + "slurm-testbed/sacct.json", HistoryFormat::kAuto, {});
  ASSERT_TRUE(json) << json.error().message;
  std::map<std::string, const model::HistoricJob*> by_id;
  for (const model::HistoricJob& one : json->jobs) by_id[one.id] = &one;
  for (const model::HistoricJob& one : rows->jobs) {
    SCOPED_TRACE(one.id);
    const auto found = by_id.find(one.id);
    ASSERT_NE(found, by_id.end());
    const model::HistoricJob& other = *found->second;
    EXPECT_EQ(one.start, other.start);
    EXPECT_EQ(one.end, other.end);
    EXPECT_EQ(one.run, other.run);
    EXPECT_EQ(one.outcome, other.outcome);
    EXPECT_EQ(one.node_names, other.node_names);
    EXPECT_EQ(one.job.groups, other.job.groups);
    EXPECT_EQ(one.job.time, other.job.time);
    EXPECT_EQ(one.job.user, other.job.user);
    EXPECT_EQ(one.job.queue, other.job.queue);
  }
}

// With -D the first attempts are there too: six low jobs were preempted and requeued.
TEST(SlurmSamples, DuplicatesTellOfRestarts) {
  const auto history =
      read_history(folder() + "slurm-testbed/sacct-X-D.txt", HistoryFormat::kAuto, {});
  if (!history) GTEST_SKIP() << history.error().message;
  std::int64_t restarts = 0;
  for (const model::HistoricJob& one : history->jobs) restarts += one.restarts;
  EXPECT_EQ(restarts, 6);
}

}  // namespace
}  // namespace headroom::formats

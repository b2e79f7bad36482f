#include "formats/slurm_values.h"

#include "formats/slurm_job.h"
#include "formats/slurm_request.h"

namespace headroom::formats {
namespace {

using Dependency = model::Dependency;

std::int64_t seconds(const base::Result<std::optional<base::Duration>>& limit) {
  return limit && *limit ? (*limit)->value() / 1000 : (limit ? 0 : -1);
}

TEST(SlurmValues, TimeLimitsInEveryForm) {
  EXPECT_EQ(seconds(parse_slurm_limit("30")), 1800);
  EXPECT_EQ(seconds(parse_slurm_limit("30:10")), 1810);
  EXPECT_EQ(seconds(parse_slurm_limit("12:00:00")), 43'200);
  EXPECT_EQ(seconds(parse_slurm_limit("1-12")), 129'600);
  EXPECT_EQ(seconds(parse_slurm_limit("1-12:30")), 131'400);
  EXPECT_EQ(seconds(parse_slurm_limit("1-12:00:01")), 129'601);
  for (const char* none : {"UNLIMITED", "INFINITE", "Partition_Limit", "INVALID", "", "N/A"}) {
    EXPECT_EQ(seconds(parse_slurm_limit(none)), 0) << none;
  }
  for (const char* bad : {"12h", "-5", "1-", "1:2:3:4", ":", "99999999999999999999"}) {
    EXPECT_EQ(seconds(parse_slurm_limit(bad)), -1) << bad;
  }
}

TEST(SlurmValues, TimesMayBeUnknown) {
  for (const char* none : {"Unknown", "None", "N/A", "", "0"}) {
    const auto time = parse_slurm_time(none, {});
    ASSERT_TRUE(time) << none;
    EXPECT_FALSE(*time) << none;
  }
  EXPECT_EQ(parse_slurm_time("1796038857", {})->value(), base::Time{1'796'038'857'000});
  EXPECT_EQ(parse_slurm_time("2026-11-30T11:40:57", {})->value(), base::Time{1'796'038'857'000});
  EXPECT_FALSE(parse_slurm_time("2026-13-30T11:40:57", {}));
  EXPECT_FALSE(parse_slurm_time("11:40:57", {}));
}

TEST(SlurmValues, Memory) {
  EXPECT_EQ(parse_slurm_memory("64Gn")->amount, base::gibibytes(64));
  EXPECT_TRUE(parse_slurm_memory("64Gn")->per_node);
  EXPECT_TRUE(parse_slurm_memory("4000Mc")->per_cpu);
  EXPECT_EQ(parse_slurm_memory("500")->amount, base::mebibytes(500));
  EXPECT_EQ(parse_slurm_memory("112.50T")->amount, base::gibibytes(115'200));
  EXPECT_FALSE(parse_slurm_memory("lots"));
  EXPECT_FALSE(parse_slurm_memory("99999999999P"));
}

TEST(SlurmValues, ResourcesSumTypesAndKeepTheSumOfSlurm) {
  const auto tres =
      parse_tres("billing=8,cpu=4,mem=16G,node=2,gres/gpu:h100=8,gres/gpu=8,energy=1");
  ASSERT_TRUE(tres) << tres.error().message;
  EXPECT_EQ(tres->gpus, 8);
  EXPECT_EQ(tres->types, (std::vector<SlurmGpus>{{"h100", 8}}));
  EXPECT_EQ(tres->nodes, 2);
  EXPECT_EQ(tres->memory, base::gibibytes(16));
  EXPECT_EQ(parse_tres("gres/gpu:a100=2,gres/gpu:v100=1")->gpus, 3);
  EXPECT_FALSE(parse_tres("cpu=-1"));
  EXPECT_FALSE(parse_tres("gres/gpu=x"));
}

TEST(SlurmValues, GenericResourcesOfANode) {
  const auto gpus = [](const char* text) { return parse_gres(text).value(); };
  EXPECT_EQ(gpus("gpu:h100:8(S:0-1),shard:16"), (std::vector<SlurmGpus>{{"h100", 8}}));
  EXPECT_EQ(gpus("PER_NODE:gpu:8"), (std::vector<SlurmGpus>{{"", 8}}));
  EXPECT_EQ(gpus("gres:gpu:h100:1"), (std::vector<SlurmGpus>{{"h100", 1}}));
  EXPECT_EQ(gpus("gres/gpu=2"), (std::vector<SlurmGpus>{{"", 2}}));
  EXPECT_EQ(gpus("gpu"), (std::vector<SlurmGpus>{{"", 1}}));
  EXPECT_EQ(gpus("gpu:h100:4(IDX:0,2,4,6),gpu:a100:1"),
            (std::vector<SlurmGpus>{{"h100", 4}, {"a100", 1}}));
  EXPECT_TRUE(gpus("(null)").empty());
}

TEST(SlurmValues, StatesWithMoreWords) {
  using model::Outcome;
  EXPECT_EQ(parse_slurm_state("CANCELLED by 1000", "").value(), Outcome::kCancelled);
  EXPECT_EQ(parse_slurm_state("CANCELLED+", "").value(), Outcome::kCancelled);
  EXPECT_EQ(parse_slurm_state("PENDING", "JobHeldUser").value(), Outcome::kHeld);
  EXPECT_EQ(parse_slurm_state("NODE_FAIL", "").value(), Outcome::kNodeFailed);
  EXPECT_FALSE(parse_slurm_state("", ""));
}

TEST(SlurmValues, Dependencies) {
  std::vector<std::string> ignored;
  EXPECT_EQ(
      parse_slurm_dependencies("afterok:12:13_4,afterany:14(unfulfilled)", ignored),
      (std::vector<Dependency>{
          {Dependency::Kind::kOk, 12}, {Dependency::Kind::kOk, 13}, {Dependency::Kind::kAny, 14}}));
  EXPECT_TRUE(ignored.empty());
  EXPECT_TRUE(parse_slurm_dependencies("singleton", ignored).empty());
  EXPECT_EQ(ignored, std::vector<std::string>{"singleton"});
  EXPECT_TRUE(parse_slurm_dependencies("(null)", ignored).empty());
}

TEST(SlurmValues, JobIds) {
  EXPECT_EQ(parse_slurm_id("123_[1-9:4,20%2]")->elements, (std::vector<std::int64_t>{1, 5, 9, 20}));
  EXPECT_EQ(parse_slurm_id("123_[1-9%2]")->throttle, 2);
  EXPECT_TRUE(parse_slurm_id("123_4.batch")->is_step);
  EXPECT_EQ(parse_slurm_id("123+1")->part, 1);
  for (const char* bad :
       {"", "x", "0", "123_", "123_[", "123_[9-1]", "123.", "12a", "1_[0-9999999]"}) {
    EXPECT_FALSE(parse_slurm_id(bad)) << bad;
  }
}

TEST(SlurmValues, SubmitLines) {
  EXPECT_EQ(parse_submit_line("sbatch --dependency=afterok:5 x.sh").after, "afterok:5");
  EXPECT_EQ(parse_submit_line("sbatch -d afterok:5 -G 8 x.sh").after, "afterok:5");
  EXPECT_EQ(parse_submit_line("sbatch -d afterok:5 -G 8 x.sh").gpus, 8);
  EXPECT_EQ(parse_submit_line("sbatch --gpus-per-node h100:4 x.sh").gpus_per_node, 4);
  EXPECT_EQ(parse_submit_line("srun --gres=gpu:2 x").gpus_per_node, 2);
  EXPECT_EQ(parse_submit_line("srun --gpus").gpus, 0);
}

// Seven GPUs on two nodes: one node has four of them, the other three.
TEST(SlurmValues, GpusThatDoNotDivideEvenlyMakeTwoGroups) {
  SlurmJob job;
  job.nodes = 2;
  job.requested = parse_tres("cpu=2,gres/gpu=7").value();
  std::map<std::string, std::int64_t> counts;
  const auto groups = slurm_groups(job, counts);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].request.gpu, model::GpuRequest::whole(4));
  EXPECT_EQ(groups[1].request.gpu, model::GpuRequest::whole(3));
  EXPECT_EQ(groups[0].tasks + groups[1].tasks, 2);
}

TEST(SlurmValues, MigInstancesAreATaskEach) {
  SlurmJob job;
  job.requested = parse_tres("cpu=4,node=1,gres/gpu:1g.10gb=2").value();
  std::map<std::string, std::int64_t> counts;
  const auto groups = slurm_groups(job, counts);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].tasks, 2);
  EXPECT_EQ(groups[0].request.gpu, model::GpuRequest::mig("1g.10gb"));
  EXPECT_TRUE(counts.empty());
}

TEST(TimeZone, OffsetsAndNames) {
  const base::Time noon{1'796'040'000'000};  // 2026-11-30T12:00:00Z
  const auto hours = [&](const std::string& name, base::Time local) {
    const auto zone = TimeZone::find(name);
    return zone ? base::between(zone->to_utc(local), local).value() / 3'600'000 : -99;
  };
  EXPECT_EQ(hours("UTC", noon), 0);
  EXPECT_EQ(hours("+02:00", noon), 2);
  EXPECT_EQ(hours("-0800", noon), -8);
  EXPECT_EQ(hours("+25:00", noon), -99);
  EXPECT_EQ(hours("../etc/passwd", noon), -99);
  if (!TimeZone::find("Europe/Berlin")) GTEST_SKIP() << "the time zone database is not installed";
  EXPECT_EQ(hours("Europe/Berlin", noon), 1);
  EXPECT_EQ(hours("Europe/Berlin", noon + base::Duration{-150LL * 86'400'000}), 2);
  // 2026-10-25: 02:30 is shown twice, the first time in summer. 2026-03-29: 02:30 is skipped.
  EXPECT_EQ(hours("Europe/Berlin", base::Time{1'792'895'400'000}), 2);
  EXPECT_EQ(hours("Europe/Berlin", base::Time{1'774'751'400'000}), 1);
}

TEST(TimeZone, DamagedFilesAreRefused) {
  for (const char* file : {"", "TZif", "no zone", "TZif2"}) EXPECT_FALSE(TimeZone::parse(file));
}

}  // namespace
}  // namespace headroom::formats

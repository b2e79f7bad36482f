#include "formats/batch_script.h"

#include "formats/job_codec.h"
#include "formats/json.h"
#include "formats/yaml.h"

namespace headroom::formats {
namespace {

BatchOptions at_noon() { return {.now = base::Time{1'796'040'000'000}}; }  // 2026-11-30T12:00Z

BatchScript read(const std::string& text, const BatchOptions& options = at_noon()) {
  const auto script = read_batch_script("jobs/train.sh", text, options);
  EXPECT_TRUE(script) << (script ? "" : script.error().message);
  return script ? *script : BatchScript{};
}

std::string error_of(const std::string& text) {
  const auto script = read_batch_script("train.sh", text, at_noon());
  return script ? "read" : script.error().message;
}

// The document without `run`, on one line.
std::string keys_of(const std::string& head, const BatchOptions& options = at_noon()) {
  Value document = Value::map();
  const BatchScript script = read("#!/bin/bash\n" + head + "\ntrue\n", options);
  for (std::size_t i = 0; i < script.document.keys.size(); ++i) {
    if (script.document.keys[i] != "run") {
      document.set(script.document.keys[i], script.document.items[i]);
    }
  }
  return print_json_line(document);
}

TEST(BatchScript, BecomesAJobThatTheCodecReads) {
  const std::string text =
      "#!/bin/bash\n"
      "#SBATCH --job-name=train -A research/vision\n"
      "#SBATCH --nodes=2 --gres=gpu:h100:8 -c 96 --mem=1T\n"
      "#SBATCH -t 1-12:00:00   # a day and a half\n"
      "\n"
      "torchrun train.py\n"
      "#SBATCH --nodes=9\n";
  const BatchScript script = read(text);
  Problems problems("train.sh");
  const Known known = known_products();
  Context context(problems, known);
  model::Job job;
  job_codec().read(script.document, context, job);
  ASSERT_TRUE(problems.empty()) << problems.error().value().message;
  EXPECT_EQ(job.job, "train");
  EXPECT_EQ(job.queue, "research/vision");
  EXPECT_EQ(job.tasks(), 2);
  const model::Request& request = job.groups.front().request;
  EXPECT_EQ(request.gpu, model::GpuRequest::whole(8));
  EXPECT_EQ(request.gpu_models, (std::vector<std::string>{"H100-SXM", "H100-PCIe", "H100-NVL"}));
  EXPECT_EQ(request.cpu.value(), 96'000);
  EXPECT_EQ(request.memory.value(), std::int64_t{1} << 40);
  EXPECT_EQ(job.time.value(), 36 * 3'600'000);
  EXPECT_EQ(job.run, text);
}

TEST(BatchScript, IsNamedAfterItsFile) {
  EXPECT_EQ(keys_of(""), R"({"job": "train", "cpus": 1})");
  EXPECT_EQ(keys_of("#SBATCH -J 'my job'"), R"({"job": "my_job", "name": "my job", "cpus": 1})");
}

TEST(BatchScript, EveryWayToAskForGpus) {
  EXPECT_EQ(keys_of("#SBATCH -G 2"), R"({"job": "train", "gpus": 2, "cpus": 1})");
  EXPECT_EQ(keys_of("#SBATCH --gpus-per-node=a100:4 -N2"),
            R"({"job": "train", "tasks": 2, "gpus": 4, "cpus": 1, "gpu_model": ["a100"]})");
  EXPECT_EQ(keys_of("#SBATCH --gpus-per-task=1 -n4 -c8"),
            R"({"job": "train", "gpus": 4, "cpus": 32})");
  EXPECT_EQ(keys_of("#SBATCH --gpus=32 --cpus-per-gpu=4"),
            R"({"job": "train", "tasks": 4, "gpus": 8, "cpus": 32})");
  EXPECT_EQ(keys_of("#SBATCH --gres gpu:1g.10gb:1"),
            R"({"job": "train", "gpus": "1g.10gb", "cpus": 1})");
  EXPECT_EQ(keys_of("#SBATCH --gres=gpu:nvidia_h100_nvl:2"),
            R"({"job": "train", "gpus": 2, "cpus": 1, "gpu_model": ["h100-nvl"]})");
}

TEST(BatchScript, MemoryIsOfANodeACoreOrAGpu) {
  EXPECT_EQ(keys_of("#SBATCH --mem=64000"), R"({"job": "train", "cpus": 1, "memory": "64000MiB"})");
  EXPECT_EQ(keys_of("#SBATCH --mem-per-cpu=4G -c 8"),
            R"({"job": "train", "cpus": 8, "memory": "32GiB"})");
  EXPECT_EQ(keys_of("#SBATCH --mem-per-gpu=40G -G 4"),
            R"({"job": "train", "gpus": 4, "cpus": 1, "memory": "160GiB"})");
  EXPECT_EQ(keys_of("#SBATCH --mem=0"), R"({"job": "train", "cpus": 1, "exclusive": true})");
}

TEST(BatchScript, WhenAndAfterWhat) {
  EXPECT_EQ(keys_of("#SBATCH -a 0-99%10 -d afterok:12:13,afterany:14 -H --nice=7"),
            R"({"job": "train", "cpus": 1, "array": "0-99%10", "priority": -7, )"
            R"("after": ["ok:12", "ok:13", "any:14"], "hold": true})");
  EXPECT_EQ(keys_of("#SBATCH --begin=now+2hours"),
            R"({"job": "train", "cpus": 1, "begin": "2026-11-30T14:00:00Z"})");
  BatchOptions berlin = at_noon();
  berlin.time_zone = "+01:00";
  EXPECT_EQ(keys_of("#SBATCH -b 2026-12-01T08:00:00", berlin),
            R"({"job": "train", "cpus": 1, "begin": "2026-12-01T07:00:00Z"})");
}

TEST(BatchScript, OwnKeysWinOverFlags) {
  EXPECT_EQ(
      keys_of("#SBATCH -t 60 -A a\n#HR queue: b\n#HR checkpoint:\n#HR   every: 30min"),
      R"({"job": "train", "queue": "b", "cpus": 1, "time": "1h", "checkpoint": {"every": "30min"}})");
}

TEST(BatchScript, TheQueueIsNamedByOneFlag) {
  EXPECT_EQ(keys_of("#SBATCH -A acc -p part -q fast"),
            R"({"job": "train", "queue": "acc", "cpus": 1})");
  BatchOptions by_partition = at_noon();
  by_partition.queue = QueueSource::kPartition;
  EXPECT_EQ(keys_of("#SBATCH -A acc -p part", by_partition),
            R"({"job": "train", "queue": "part", "cpus": 1})");
}

TEST(BatchScript, TellsWhatBecameOfEachFlag) {
  const BatchScript script =
      read("#!/bin/sh\n#SBATCH -N 2 --gres=gpu:h100:8\n#SBATCH --mail-type=END -p gpu\ntrue\n");
  EXPECT_EQ(script.mapped,
            (std::vector<BatchLine>{{2, "-N 2", "tasks: 2"},
                                    {2, "--gres=gpu:h100:8", "gpus: 8, gpu_model: [\"h100\"]"}}));
  EXPECT_EQ(script.dropped,
            (std::vector<BatchLine>{
                {3, "--mail-type=END", "mail is not sent"},
                {3, "-p gpu", "the queue is named by another flag (--queue-from partition)"}}));
  ASSERT_EQ(script.notes.size(), 1U);
  EXPECT_NE(script.notes[0].find("HEADROOM_RANK"), std::string::npos);
}

TEST(BatchScript, WhatWouldBecomeAnotherJobIsRefusedWithItsLine) {
  EXPECT_EQ(error_of("#!/bin/sh\n#SBATCH --gpus-per-nod=8\n"),
            "train.sh:2: #SBATCH: --gpus-per-nod is not a flag of sbatch "
            "(did you mean --gpus-per-node?)");
  EXPECT_EQ(error_of("#SBATCH -a 1,3,5\n"),
            "train.sh:1: #SBATCH --array: 1,3,5 is not a range (such as 0-99 or 0-99%10)");
  EXPECT_NE(error_of("#SBATCH -d singleton\n").find("--dependency: singleton"), std::string::npos);
  EXPECT_NE(error_of("#SBATCH --gres=gpu:2,shard:1\n").find("--gres"), std::string::npos);
  EXPECT_NE(error_of("#SBATCH hetjob\n").find("several parts"), std::string::npos);
  EXPECT_NE(error_of("#SBATCH --time\n").find("a value is missing"), std::string::npos);
  EXPECT_NE(error_of("#SBATCH -J 'a b\n").find("a quote is not closed"), std::string::npos);
  EXPECT_NE(error_of("#HR - a\n").find("keys of job.yaml are expected"), std::string::npos);
  EXPECT_EQ(error_of("#HR tasks: 1\n#HR tasks: 2\n").find("train.sh:2"), 0U);
  EXPECT_NE(error_of("#SBATCH -n 0 -c x\n").find("--ntasks"), std::string::npos);
}

TEST(BatchScript, HugeNumbersStayNumbers) {
  const std::string keys = keys_of("#SBATCH -n 1000000 -c 1000000 --mem-per-cpu=1000000T");
  EXPECT_NE(keys.find("\"memory\""), std::string::npos);
}

TEST(BatchScript, IsRecognised) {
  EXPECT_TRUE(is_batch_script("#!/bin/sh\ntrue\n"));
  EXPECT_TRUE(is_batch_script("# mine\n#HR tasks: 2\ntrue\n"));
  EXPECT_FALSE(is_batch_script("# mine\njob: a\n#SBATCH -n 1\n"));
  EXPECT_FALSE(is_batch_script("#SBATCHX\n"));
}

}  // namespace
}  // namespace headroom::formats

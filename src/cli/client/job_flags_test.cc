#include "cli/client/job_flags.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "formats/job_yaml.h"

namespace headroom::cli {
namespace {

const std::string kRoot = HEADROOM_SOURCE_DIR;

// The flags, as the command line fills them.
JobFlags flags() {
  JobFlags result;
  job_flags(result);
  return result;
}

model::Job job_of(const JobFlags& asked) {
  const auto source = read_job_source(asked);
  EXPECT_TRUE(source) << (source ? "" : source.error().message);
  const auto jobs = formats::read_job_yaml("job", source ? source->jobs.at(0).text : "",
                                           formats::known_products());
  EXPECT_TRUE(jobs) << (jobs ? "" : jobs.error().message);
  return jobs ? jobs->at(0) : model::Job{};
}

std::string error_of(const JobFlags& asked) {
  const auto source = read_job_source(asked);
  return source ? "read" : source.error().message;
}

TEST(JobFlags, ACommandKeepsItsWords) {
  JobFlags asked = flags();
  asked.command = {"/usr/bin/python", "a b.py", "it's", "--x=1"};
  asked.keys["gpus"] = "2";
  asked.keys["gpu_model"] = "H200,H100-SXM";
  asked.keys["after"] = "12,any:13";
  asked.keys["time"] = "2h";
  asked.settings = {"checkpoint.every=30min", "retries=3"};
  const model::Job job = job_of(asked);
  EXPECT_EQ(job.job, "python");
  EXPECT_EQ(job.run, "/usr/bin/python 'a b.py' 'it'\\''s' --x=1");
  EXPECT_EQ(job.groups[0].request.gpu, model::GpuRequest::whole(2));
  EXPECT_EQ(job.after.size(), 2U);
  EXPECT_EQ(job.checkpoint->every.value(), 30 * 60'000);
  EXPECT_EQ(job.retries, 3);
  EXPECT_FALSE(job.workdir.empty());
}

TEST(JobFlags, OneWordIsALineForTheShell) {
  JobFlags asked = flags();
  asked.command = {"echo a && echo b"};
  EXPECT_EQ(job_of(asked).run, "echo a && echo b");
}

TEST(JobFlags, WinOverAFile) {
  JobFlags asked = flags();
  asked.file = kRoot + "/examples/live/hello.yaml";
  asked.keys["queue"] = "production";
  asked.env = {"A=1,2", "B="};
  const model::Job job = job_of(asked);
  EXPECT_EQ(job.queue, "production");
  EXPECT_EQ(job.job, "hello");
  EXPECT_EQ(job.env, (std::vector<std::pair<std::string, std::string>>{{"A", "1,2"}, {"B", ""}}));
}

TEST(JobFlags, AFileWithoutFlagsStaysAsItIs) {
  JobFlags asked = flags();
  asked.file = kRoot + "/examples/live/hello.yaml";
  EXPECT_EQ(read_job_source(asked)->jobs[0].text.substr(0, 5), "# One");
}

TEST(JobFlags, AScriptIsExplained) {
  JobFlags asked = flags();
  asked.file = kRoot + "/examples/live/train.sh";
  EXPECT_EQ(job_of(asked).tasks(), 2);
  const std::string text = explained(read_job_source(asked)->script, "train.sh");
  EXPECT_NE(text.find("train.sh:4: --nodes=2 -> tasks: 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("train.sh:6: --mail-type=END dropped: mail is not sent"), std::string::npos);
}

TEST(JobFlags, SeveralJobsAreSplit) {
  JobFlags asked = flags();
  asked.file = kRoot + "/examples/jobs-small.yaml";
  const auto source = read_job_source(asked);
  ASSERT_TRUE(source);
  ASSERT_GT(source->jobs.size(), 1U);
  EXPECT_NE(source->jobs[1].place.find(", job 2"), std::string::npos);
}

TEST(JobFlags, MistakesAreTold) {
  JobFlags asked = flags();
  EXPECT_EQ(error_of(asked), "a FILE is needed, or a command behind --");
  asked.command = {"true"};
  asked.env = {"HEADROOM_TEST_UNSET"};
  EXPECT_NE(error_of(asked).find("--env: HEADROOM_TEST_UNSET"), std::string::npos);
  asked.env = {};
  asked.settings = {"retries"};
  EXPECT_NE(error_of(asked).find("--set: retries is not KEY=VALUE"), std::string::npos);
  asked.settings = {};
  asked.file = "/nowhere.yaml";
  EXPECT_NE(error_of(asked).find("only one of them"), std::string::npos);
  asked.command = {};
  EXPECT_NE(error_of(asked).find("/nowhere.yaml"), std::string::npos);
}

}  // namespace
}  // namespace headroom::cli

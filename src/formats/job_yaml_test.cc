#include "formats/job_yaml.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/file.h"
#include "formats/json.h"
#include "formats/load.h"
#include "formats/samples_test.h"
#include "formats/tasks.h"

namespace headroom::formats {

using model::GpuRequest;
using model::Job;

namespace {

std::string source_path(const std::string& path) {
  return std::string(HEADROOM_SOURCE_DIR) + "/" + path;
}

std::string errors(const std::string& text) {
  const auto jobs = read_job_yaml("j.yaml", text, known_products());
  return jobs ? "accepted" : jobs.error().message;
}

std::string with_keys(const std::string& keys) { return errors("{job: j, " + keys + "}\n"); }

model::Request request_of(const std::string& keys) {
  const auto jobs = read_job_yaml("j", "{job: j, " + keys + "}\n", known_products());
  EXPECT_TRUE(jobs) << jobs.error().message;
  return jobs ? jobs->front().groups.front().request : model::Request{};
}

}  // namespace

TEST(JobYaml, TheExampleIsRead) {
  const auto text = read_file(source_path("examples/job.yaml"), kLargestYaml);
  const auto jobs = read_job_yaml("j", *text, known_products());
  ASSERT_TRUE(jobs) << jobs.error().message;
  const Job& job = jobs->front();
  EXPECT_EQ(job.tasks(), 16);
  EXPECT_EQ(job.groups[0].request.gpu, GpuRequest::whole(8));
  EXPECT_EQ(job.groups[0].request.gpu_models,
            (std::vector<std::string>{"H200-SXM", "H100-SXM", "H100-PCIe", "H100-NVL"}));
  EXPECT_EQ(job.checkpoint->signal, (model::SignalSpec{"USR1", base::Duration{120'000}}));
  EXPECT_EQ(job.topology->required, model::Level::kPod);
  EXPECT_EQ(job.after.front().job, 1041);
  EXPECT_EQ(job.elastic->max, 32);
}

TEST(JobYaml, ControlCharactersAreRefusedWhereTheyMakeNoSense) {
  for (const char* const key : {"name", "queue", "model", "workdir", "output"}) {
    EXPECT_EQ(with_keys(std::string(key) + R"(: "a\x1b[2J")"),
              std::string("j.yaml:1: ") + key + R"(: a\x1b[2J has a control character)");
  }
  EXPECT_EQ(with_keys(R"(run: "a\nb\tc")"), "accepted");
  EXPECT_EQ(with_keys(R"(run: "a\0b")"), R"(j.yaml:1: run: a\x00b has a NUL character)");
  EXPECT_EQ(with_keys(R"(env: {A: "a\nb"})"), "accepted");
  EXPECT_EQ(with_keys(R"(env: {A: "a\0b"})"), R"(j.yaml:1: env: A: a\x00b has a NUL character)");
  EXPECT_EQ(with_keys("env: {A=B: c}"), "j.yaml:1: env: A=B is not a name for a variable");
}

TEST(JobYaml, WhatIsWrittenIsReadAgain) {
  base::Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Job> jobs{random_job(rng), random_job(rng)};
    const std::string text = write_job_yaml(jobs);
    const auto again = read_job_yaml("again", text, known_products());
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(*again, jobs) << text << "\n---\n" << write_job_yaml(*again);
  }
}

TEST(JobYaml, ThePublishedSchemaIsTheOneOfTheTable) {
  const auto committed = read_file(source_path("schema/job.schema.json"), kLargestYaml);
  EXPECT_EQ(print_json(job_schema()), *committed)
      << "run: headroom lint --schema job > schema/job.schema.json";
}

TEST(JobYaml, GpusAreAskedForInFourWays) {
  EXPECT_EQ(request_of("gpus: 8").gpu, GpuRequest::whole(8));
  EXPECT_EQ(request_of("gpus: 0").gpu, GpuRequest{});
  EXPECT_EQ(request_of("gpus: 250m").gpu, GpuRequest::fraction(base::GpuMilli{250}));
  EXPECT_EQ(request_of("gpus: 20GiB").gpu, GpuRequest::amount(base::gibibytes(20)));
  EXPECT_EQ(request_of("gpus: 2g.20gb").gpu, GpuRequest::mig("2g.20gb"));
  EXPECT_EQ(request_of("gpus: 7g.270gb").gpu, GpuRequest::mig("7g.269gb"));
  EXPECT_EQ(request_of("gpus: 1, gpu_memory: '>=80GB'").min_gpu_memory, base::gigabytes(80));
  EXPECT_EQ(with_keys("gpus: 17"), "j.yaml:1: gpus: 17 is not in 0..16");
  EXPECT_EQ(with_keys("gpus: -1"),
            "j.yaml:1: gpus: -1 is not a number of GPUs (0..16), a share (250m), an amount of GPU "
            "memory (20GiB) or a MIG profile (2g.20gb)");
  EXPECT_EQ(with_keys("gpus: 2g.21gb"),
            "j.yaml:1: gpus: no GPU has the MIG profile 2g.21gb (did you mean 2g.20gb?)");
  EXPECT_EQ(with_keys("gpus: 2g.20gb, gpu_model: H200"),
            "j.yaml:1: gpus: 2g.20gb is not a MIG profile of H200-SXM");
}

TEST(JobYaml, AGpuWishNamesKnownProducts) {
  EXPECT_EQ(with_keys("gpus: 1, gpu_model: H1000"),
            "j.yaml:1: gpu_model: unknown GPU model H1000 (did you mean H100?)");
  EXPECT_EQ(with_keys("gpu_model: H100"), "j.yaml:1: gpu_model: given for tasks without GPUs");
  EXPECT_EQ(with_keys("gpus: 1, gpu_model: G2").substr(0, 41),
            "j.yaml:1: gpu_model: unknown GPU model G2");
  Known known = known_products();
  known.own.push_back({.name = "G2", .memory = base::gigabytes(32)});
  EXPECT_TRUE(read_job_yaml("j", "job: j\ngpus: 1\ngpu_model: g2\n", known));
}

TEST(JobYaml, CountsMustAgree) {
  EXPECT_EQ(with_keys("tasks: 4, gang: 5"),
            "j.yaml:1: gang: 5 is not in 1..4 (the number of tasks)");
  EXPECT_EQ(with_keys("elastic: {min: 3, max: 2}"), "j.yaml:1: elastic: min 3 is above max 2");
  EXPECT_EQ(with_keys("tasks: 6, topology: {segment: 4}"),
            "j.yaml:1: topology.segment: 6 tasks cannot be cut into segments of 4");
  EXPECT_EQ(with_keys("gpus: 1, groups: [{name: a}]"),
            "j.yaml:1: gpus: given beside groups (put it into each group)");
  EXPECT_EQ(with_keys("groups: [{name: a}, {name: a}]"),
            "j.yaml:1: groups[1].name: the name a is there twice");
  EXPECT_EQ(with_keys("begin: '2027-01-02', deadline: '2027-01-01'"),
            "j.yaml:1: deadline: it is not after begin");
}

TEST(JobYaml, ValuesAreChecked) {
  EXPECT_EQ(with_keys("time: 48"), "j.yaml:1: time: 48 has no unit (one of ms, s, min, h or d)");
  EXPECT_EQ(
      with_keys("kind: trainig"),
      "j.yaml:1: kind: trainig is not training, fine-tuning, batch, service or workspace; did "
      "you mean training?");
  EXPECT_EQ(
      with_keys("after: [1041]"),
      "j.yaml:1: after[0]: 1041 is not ok:, any:, failed: or started: and the number of a job");
  EXPECT_EQ(with_keys("array: 9-0"), "j.yaml:1: array: 9-0 runs backwards");
  EXPECT_EQ(with_keys("preemptible: yes"), "j.yaml:1: preemptible: yes is not true or false");
  EXPECT_EQ(with_keys("gpu: 8"), "j.yaml:1: unknown key gpu (did you mean gpus?)");
  EXPECT_EQ(with_keys("checkpoint: {every: 30min, signal: usr1}"),
            "j.yaml:1: checkpoint.signal: usr1 is not a signal (such as USR1@120s)");
  EXPECT_EQ(errors("tasks: 3\n"), "j.yaml:1: key job is missing");
  EXPECT_EQ(
      errors("- job: a\n- gob: b\n"),
      "j.yaml:2: [1]: unknown key gob (did you mean job?)\nj.yaml:2: [1]: key job is missing");
}

TEST(Tasks, OurCsvIsSpelledAsJobYaml) {
  const auto rows = read_tasks_csv("t.csv",
                                   "name,gpus,cpus,memory,gpu_model,labels,tasks\n"
                                   "b,8,96,1TiB,H100-SXM|H200,zone=a;disk=fast,2\n"
                                   "a,250m,500m,8GiB,,,\n",
                                   known_products(), {});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->value.size(), 3U);
  EXPECT_EQ(rows->value[0].name, "a");
  EXPECT_EQ(rows->value[0].request.cpu, base::CpuMilli{500});
  EXPECT_EQ(rows->value[2].name, "b/2");
  EXPECT_EQ(rows->value[2].request.gpu_models, (std::vector<std::string>{"H100-SXM", "H200-SXM"}));
  EXPECT_EQ(rows->value[2].request.labels,
            (std::vector<model::Label>{{"disk", "fast"}, {"zone", "a"}}));
}

TEST(Tasks, ABadRowIsNamed) {
  const std::string text = "name,gpus,memory\na,1,1GiB\nb,1,1\nc,-1,1GiB\n";
  const auto strict = read_tasks_csv("t.csv", text, known_products(), {});
  EXPECT_EQ(strict.error().message.substr(0, 32), "t.csv:3: memory: 1 has no unit (");
  const auto lenient = read_tasks_csv("t.csv", text, known_products(), {.lenient = true});
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->skipped, 2);
  EXPECT_EQ(lenient->value.size(), 1U);
}

TEST(Load, ListsAreRecognisedWhateverTheirForm) {
  const auto cluster = read_cluster(source_path("examples/cluster.yaml"), {});
  ASSERT_TRUE(cluster) << cluster.error().message;
  for (const char* path : {"examples/job.yaml", "examples/jobs-small.yaml", "examples/tasks.csv",
                           "tests/data/openb/tasks.csv"}) {
    const auto tasks = read_tasks(source_path(path), cluster->value, {});
    ASSERT_TRUE(tasks) << tasks.error().message;
    EXPECT_GE(tasks->value.size(), 16U);
    EXPECT_FALSE(read_cluster(source_path(path), {}));
  }
  EXPECT_TRUE(read_cluster(source_path("tests/data/openb/nodes.csv"), {}));
  EXPECT_FALSE(read_tasks(source_path("tests/data/openb/nodes.csv"), cluster->value, {}));
  EXPECT_FALSE(read_tasks(source_path("examples/cluster.yaml"), cluster->value, {}));
}

TEST(Load, AnArrayIsAsManyTasks) {
  const auto jobs = read_job_yaml("j", "{job: j, array: 0-2, tasks: 2}\n", known_products());
  const auto tasks = tasks_of(*jobs);
  ASSERT_EQ(tasks->size(), 6U);
  EXPECT_EQ((*tasks)[5].name, "j.2/2");
  const auto many = read_job_yaml("j", "{job: j, array: 0-99, tasks: 1000000}\n", known_products());
  EXPECT_EQ(tasks_of(*many).error().message, "more than 10000000 tasks");
}

}  // namespace headroom::formats

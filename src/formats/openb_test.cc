#include "formats/openb.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "formats/file.h"

namespace headroom::formats {

namespace {

const std::string kNodeHeader = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string kTaskHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";

std::string node_error(const std::string& rows) {
  const auto result = read_openb_nodes("nodes.csv", kNodeHeader + rows, {});
  return result ? "accepted" : result.error().message;
}

std::string task_error(const std::string& rows) {
  const auto result = read_openb_tasks("tasks.csv", kTaskHeader + rows, {});
  return result ? "accepted" : result.error().message;
}

std::string shared_folder() {
  const char* elsewhere = std::getenv("HEADROOM_SHARED");
  return elsewhere != nullptr ? elsewhere : std::string(HEADROOM_SOURCE_DIR) + "/../shared";
}

std::string sample(const std::string& name) {
  return *read_file(std::string(HEADROOM_SOURCE_DIR) + "/tests/data/openb/" + name, kLargestCsv);
}

}  // namespace

TEST(Openb, ReadsTheColumnsInAnyOrder) {
  const auto rows =
      read_openb_nodes("n", "model,gpu,sn,memory_mib,cpu_milli\nP100,2,a,1024,64000\n", {});
  ASSERT_TRUE(rows) << rows.error().message;
  const model::NodeShape& shape = rows->value.shape(model::NodeId{0});
  EXPECT_EQ(shape.gpus, 2);
  EXPECT_EQ(shape.cpu, base::CpuMilli{64000});
  EXPECT_EQ(shape.memory, base::gibibytes(1));
  EXPECT_EQ(rows->value.gpu_models[shape.gpu_model.index()].name, "P100");
}

TEST(Openb, EqualNodesShareOneShape) {
  const auto rows = read_openb_nodes("n", kNodeHeader + "a,1,2,0,\nb,1,2,0,\nc,1,3,0,\n", {});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->value.nodes.size(), 3U);
  EXPECT_EQ(rows->value.shapes.size(), 2U);
}

TEST(Openb, EveryBadNodeIsAnErrorWithItsPlaceAndWhatIsAllowed) {
  EXPECT_EQ(node_error("a,1,2,-1,P100\n"), "nodes.csv:2: gpu: -1 is not in 0..16");
  EXPECT_EQ(node_error("a,1,2,9,G2\n"),
            "nodes.csv:2: gpu: 9 is not in 0..8: a node has at most 8 G2 GPUs");
  EXPECT_EQ(node_error("a,1,2,1,P10\n"),
            "nodes.csv:2: model: unknown GPU model P10 (did you mean P100?)");
  EXPECT_EQ(node_error("a,1,2,1,\n"),
            "nodes.csv:2: model: unknown GPU model (empty) (known: G1, G2, G3, P100, T4, V100M16, "
            "V100M32 or A10)");
  EXPECT_EQ(node_error("a,1,2,0,T4\n"), "nodes.csv:2: model: T4 is given for a node without GPUs");
  EXPECT_EQ(node_error("a,1.5,2,0,\n"),
            "nodes.csv:2: cpu_milli: 1.5 is not a whole number in 0..100000000");
  EXPECT_EQ(node_error("a,99999999999999999999999,2,0,\n"),
            "nodes.csv:2: cpu_milli: 99999999999999999999999 is not in 0..100000000");
  EXPECT_EQ(node_error("a,1,2,0,\na,1,2,0,\n"),
            "nodes.csv:3: sn: a is there twice (first in line 2)");
  EXPECT_EQ(node_error(",1,2,0,\n"), "nodes.csv:2: sn: the name is empty");
}

TEST(Openb, DamagedRowsAreErrors) {
  EXPECT_EQ(node_error("a,1,2,0\n"), "nodes.csv:2: the row has 4 fields, the header has 5");
  EXPECT_EQ(node_error("\n"), "nodes.csv:2: the row has 1 fields, the header has 5");
  EXPECT_EQ(node_error("a,1,2,0,"),
            "nodes.csv:2: the file ends in the middle of a line (no newline at the end)");
  EXPECT_EQ(node_error("a,1,2,0,\r\n"),
            "nodes.csv:2: there is a carriage return in the line (lines must end in a newline "
            "alone)");
  EXPECT_EQ(node_error("\"a\",1,2,0,\n"), "nodes.csv:2: field 1: \"a\" has a quote");
  EXPECT_EQ(node_error(std::string("a\0,1,2,0,\n", 10)),
            "nodes.csv:2: there is a NUL byte in the line");
}

TEST(Openb, TheHeaderIsChecked) {
  const auto error = [](const std::string& text) {
    const auto result = read_openb_nodes("n", text, {.lenient = true});
    return result ? "accepted" : result.error().message;
  };
  EXPECT_EQ(error(""), "n: the file is empty");
  EXPECT_EQ(error("sn,cpu_milli,memory_mib,gpu\n"), "n:1: column model is missing");
  EXPECT_EQ(error("sn,cpu_mili,memory_mib,gpu,model\n"),
            "n:1: unknown column cpu_mili (did you mean cpu_milli?)");
  EXPECT_EQ(error("sn,sn,memory_mib,gpu,model\n"), "n:1: column sn is there twice");
}

TEST(Openb, EveryBadTaskIsAnErrorWithItsPlaceAndWhatIsAllowed) {
  EXPECT_EQ(task_error("a,1,2,1,0,\n"),
            "tasks.csv:2: gpu_milli: 0 is not in 1..1000 for a task of 1 GPU");
  EXPECT_EQ(task_error("a,1,2,2,500,\n"),
            "tasks.csv:2: gpu_milli: 500 is not 1000 for a task of 2 GPUs");
  EXPECT_EQ(task_error("a,1,2,0,500,\n"),
            "tasks.csv:2: gpu_milli: 500 is not 0 for a task without GPUs");
  EXPECT_EQ(task_error("a,1,2,1,1001,\n"), "tasks.csv:2: gpu_milli: 1001 is not in 0..1000");
  EXPECT_EQ(task_error("a,1,2,1,1000,T4|G9\n"),
            "tasks.csv:2: gpu_spec: unknown GPU model G9 (did you mean G1?)");
  EXPECT_EQ(task_error("a,1,2,0,0,T4\n"),
            "tasks.csv:2: gpu_spec: T4 is given for a task without GPUs");
}

TEST(Openb, TasksAreSortedByNameAndKeepRepeatedModels) {
  const auto rows = read_openb_tasks(
      "t", kTaskHeader + "b,1,2,1,250,\na,1,2,2,1000,V100M32|V100M16|V100M32\nc,9,8,0,0,\n", {});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->value.size(), 3U);
  const model::Request& first = rows->value[0].request;
  EXPECT_EQ(first.gpu, model::GpuRequest::whole(2));
  EXPECT_EQ(first.gpu_models, (std::vector<std::string>{"V100M16", "V100M32", "V100M32"}));
  EXPECT_EQ(rows->value[1].request.gpu, model::GpuRequest::fraction(base::GpuMilli{250}));
  EXPECT_EQ(rows->value[2].request.gpu, model::GpuRequest{});
}

TEST(Openb, LenientSkipsAndCounts) {
  const auto rows = read_openb_nodes("n", kNodeHeader + "a,1,2,-1,\nb,1,2,0,\nc\nd,1,2,0,\ne,1",
                                     {.lenient = true});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->value.nodes.size(), 2U);
  EXPECT_EQ(rows->skipped, 3);
  ASSERT_EQ(rows->first_errors.size(), 3U);
  EXPECT_EQ(rows->first_errors[0], "n:2: gpu: -1 is not in 0..16");
}

TEST(Openb, ReadsTheCommittedSamples) {
  const auto nodes = read_openb_nodes("nodes", sample("nodes.csv"), {});
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_EQ(nodes->value.nodes.size(), 40U);
  const auto tasks = read_openb_tasks("tasks", sample("tasks.csv"), {});
  ASSERT_TRUE(tasks) << tasks.error().message;
  EXPECT_EQ(tasks->value.size(), 40U);
}

// Source: data/openb (hkust-adsl/kubernetes-scheduler-simulator 8f3d6417): 1,213 GPU nodes with
// 6,212 GPUs; 8,152 tasks in the default list.
TEST(Openb, ReadsTheWholeTrace) {
  const std::filesystem::path folder = shared_folder() + "/data/openb";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs ../shared/data/openb";
  const auto load = [&](const std::string& name) {
    return *read_file((folder / name).string(), kLargestCsv);
  };
  const auto nodes = read_openb_nodes("nodes", load("openb_node_list_gpu_node.csv"), {});
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_EQ(nodes->value.nodes.size(), 1213U);
  EXPECT_EQ(nodes->value.gpu_capacity(), base::GpuMilli{6'212'000});
  const auto all = read_openb_nodes("nodes", load("openb_node_list_all_node.csv"), {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->value.nodes.size(), 1523U);

  int lists = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find("pod_list") == std::string::npos) continue;
    const auto tasks = read_openb_tasks(name, load(name), {});
    ASSERT_TRUE(tasks) << tasks.error().message;
    if (name == "openb_pod_list_default.csv") {
      EXPECT_EQ(tasks->value.size(), 8152U);
    }
    ++lists;
  }
  EXPECT_EQ(lists, 14);
}

}  // namespace headroom::formats

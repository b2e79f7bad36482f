#include "formats/cluster_yaml.h"

#include <gtest/gtest.h>

#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/file.h"
#include "formats/json.h"
#include "formats/samples_test.h"

namespace headroom::formats {

using model::Level;

namespace {

std::string from_source(const std::string& path) {
  return *read_file(std::string(HEADROOM_SOURCE_DIR) + "/" + path, kLargestYaml);
}

std::string errors(const std::string& text) {
  const auto site = read_cluster_yaml("c.yaml", text, known_products());
  return site ? "accepted" : site.error().message;
}

// One pool with these keys besides pool, cpu and memory.
std::string with_pool(const std::string& keys) {
  return errors("cluster: c\nnodes:\n- {pool: p, cpu: 8, memory: 1GiB, " + keys + "}\n");
}

// Queues on a pool h of 4 nodes with 8 GPUs in racks of 2.
std::string with_queues(const std::string& queues) {
  return errors(
      "cluster: c\nnodes:\n- {pool: h, count: 4, cpu: 8, memory: 1GiB, rack_size: 2, gpu: {model: "
      "H100-SXM, count: 8}}\nqueues:\n" +
      queues);
}

}  // namespace

TEST(ClusterYaml, TheExampleIsReadAndExpanded) {
  const auto site = read_cluster_yaml("c", from_source("examples/cluster.yaml"), known_products());
  ASSERT_TRUE(site) << site.error().message;
  const auto cluster = build_cluster(*site, built_in_catalogue());
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->nodes.size(), 55U);
  EXPECT_EQ(cluster->gpu_capacity(), base::GpuMilli{276'000});
  EXPECT_EQ(cluster->nodes[31].name, "h032");
  EXPECT_EQ(cluster->nodes[34].name, "inhouse-0001");
  const model::NodeShape& first = cluster->shape(model::NodeId{0});
  EXPECT_EQ(first.memory, base::gibibytes(2048));
  EXPECT_TRUE(first.mig);
  EXPECT_EQ(cluster->gpu_models[first.gpu_model.index()].mig_profiles.size(), 7U);
  const auto rack = static_cast<std::size_t>(Level::kRack);
  EXPECT_EQ(cluster->fabric.domains[rack], 8U);
  EXPECT_EQ(cluster->fabric.domain_of[rack][5].index(), 1U);
  EXPECT_FALSE(cluster->fabric.domain_of[rack][40].valid());
}

TEST(ClusterYaml, WhatIsWrittenIsReadAgain) {
  base::Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    const model::Site site = random_site(rng);
    const std::string text = write_cluster_yaml(site);
    const auto again = read_cluster_yaml("again", text, known_products());
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(*again, site) << text << "\n---\n" << write_cluster_yaml(*again);
  }
}

TEST(ClusterYaml, ThePublishedSchemaIsTheOneOfTheTable) {
  EXPECT_EQ(print_json(cluster_schema()), from_source("schema/cluster.schema.json"))
      << "run: headroom lint --schema cluster > schema/cluster.schema.json";
}

TEST(ClusterYaml, GpusAreThoseOfAKnownProduct) {
  EXPECT_EQ(with_pool("count: 1, gpu: {model: h100-sxm, count: 8}"), "accepted");
  EXPECT_EQ(
      with_pool("count: 1, gpu: {model: H100-SXM, count: 9}"),
      "c.yaml:3: nodes[0].gpu.count: 9 is not in 1..8: 9 GPUs of an 8-GPU product (H100-SXM)");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: H100-SXM, count: -1}"),
            "c.yaml:3: nodes[0].gpu.count: -1 is not in 1..16");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: H10, count: 1}"),
            "c.yaml:3: nodes[0].gpu.model: unknown GPU model H10 (did you mean H100?); a model of "
            "your own needs its memory");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: H100, count: 1}"),
            "c.yaml:3: nodes[0].gpu.model: H100 stands for several products: H100-SXM, H100-PCIe "
            "or H100-NVL");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: G2, count: 8, memory: 32GB}"), "accepted");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: MI300X, count: 8, mig: allowed}"),
            "c.yaml:3: nodes[0].gpu.mig: MI300X has no MIG");
  EXPECT_EQ(with_pool("count: 1, gpu: {model: RTX-PRO-6000-BSE, count: 8, mig: allowed}"),
            "c.yaml:3: nodes[0].gpu.mig: the MIG placement table of RTX-PRO-6000-BSE is not known");
}

TEST(ClusterYaml, KeysUnitsAndTypesAreChecked) {
  EXPECT_EQ(with_pool("count: 1, gpus: 8"),
            "c.yaml:3: nodes[0]: unknown key gpus (did you mean gpu?)");
  EXPECT_EQ(with_pool("count: '1'"),
            "c.yaml:3: nodes[0].count: 1 is in quotes, so it is a text, not a number");
  EXPECT_EQ(with_pool("count: 1, nic: {count: 1, rate: 400}"),
            "c.yaml:3: nodes[0].nic.rate: 400 has no unit (one of B/s, kB/s, KiB/s, MB/s, MiB/s, "
            "GB/s, GiB/s, TB/s, TiB/s, PB/s, PiB/s, EB/s, EiB/s, bps, kbps, Mbps, Gbps or Tbps)");
  EXPECT_EQ(with_pool("count: 1, nic: {count: 1, rate: 44kW}"),
            "c.yaml:3: nodes[0].nic.rate: 44kW is a power, not a rate");
  EXPECT_EQ(with_pool("count: 1, rack_size: [4]"),
            "c.yaml:3: nodes[0].rack_size: this is a list, not a single value");
  EXPECT_EQ(errors("cluster: c\n"), "c.yaml:1: key nodes is missing");
  EXPECT_EQ(errors(""), "c.yaml: the file is empty");
  EXPECT_EQ(errors("cluster: c\nnodes: []\n"), "c.yaml:2: nodes: there are no nodes");
}

TEST(ClusterYaml, EveryProblemHasItsOwnLine) {
  EXPECT_EQ(errors("cluster: c\nnodes:\n- pool: p\n  count: 0\n  cpu: 8\n  memory: 1\nfabrik: 2\n"),
            "c.yaml:4: nodes[0].count: 0 is not in 1..1000000\n"
            "c.yaml:6: nodes[0].memory: 1 has no unit (one of B, kB, KiB, MB, MiB, GB, GiB, TB, "
            "TiB, PB, PiB, EB or EiB)\n"
            "c.yaml:7: unknown key fabrik (did you mean fabric?)");
}

TEST(ClusterYaml, NamesAreUniqueAndAsManyAsTheCount) {
  EXPECT_EQ(with_pool("count: 2, name: 'n[1-3]'"),
            "c.yaml:3: nodes[0].name: n[1-3] stands for 3 names, but there are 2 nodes");
  EXPECT_EQ(with_pool("count: 2, name: 'n,n'"),
            "c.yaml:3: nodes[0].name: a node n is there already");
  EXPECT_EQ(with_pool("count: 2, name: 'n[1-'"),
            "c.yaml:3: nodes[0].name: a bracket is not closed");
}

TEST(ClusterYaml, QueuesFormATreeWhoseGuaranteesFit) {
  EXPECT_EQ(with_queues("- {name: a, guarantee: {h: 32}}\n"), "accepted");
  EXPECT_EQ(with_queues("- {name: a, guarantee: {h: 33}}\n"),
            "c.yaml:5: queues[0].guarantee.h: overcommitted: 33 are guaranteed, pool h has 32");
  EXPECT_EQ(with_queues("- {name: a, guarantee: {h: 8}}\n- {name: a/b, guarantee: {h: 9}}\n"),
            "c.yaml:6: queues[1].guarantee.h: overcommitted: 9 are guaranteed, the parent queue a "
            "is guaranteed 8");
  EXPECT_EQ(with_queues("- {name: a/b}\n"),
            "c.yaml:5: queues[0].name: the parent queue a is not there");
  EXPECT_EQ(with_queues("- {name: a}\n- {name: a}\n"),
            "c.yaml:6: queues[1].name: the queue a is there twice");
  EXPECT_EQ(with_queues("- {name: a, limit: {g: 1}}\n"),
            "c.yaml:5: queues[0].limit: unknown pool g (known: h)");
  EXPECT_EQ(with_queues("- {name: a, guarantee: {h: 8}, limit: {h: 7}}\n"),
            "c.yaml:5: queues[0].limit.h: 7 is less than the guarantee of 8");
}

TEST(ClusterYaml, CoresOfAllNodesAreThePoolCpu) {
  const auto with = [](const std::string& queue) {
    return errors(
        "cluster: c\nnodes:\n- {pool: h, count: 2, cpu: 8, memory: 1GiB, gpu: {model: H100-SXM, "
        "count: 8}}\n- {pool: login, count: 1, cpu: 4, memory: 1GiB}\nqueues:\n- {name: a, " +
        queue + "}\n");
  };
  EXPECT_EQ(with("guarantee: {cpu: 20}, limit: {cpu: 20}"), "accepted");
  EXPECT_EQ(with("guarantee: {cpu: 21}"),
            "c.yaml:6: queues[0].guarantee.cpu: overcommitted: 21 are guaranteed, pool cpu has 20");
  EXPECT_EQ(with("guarantee: {login: 4}"),
            "c.yaml:6: queues[0].guarantee: pool login has no GPUs; the cores of all nodes are the "
            "pool cpu");
  EXPECT_EQ(
      with("limit: {login: 4}"),
      "c.yaml:6: queues[0].limit: pool login has no GPUs; the cores of all nodes are the pool "
      "cpu");
  EXPECT_EQ(with("cells: {login: {node: 1}}"),
            "c.yaml:6: queues[0].cells: pool login has no GPUs; cells are of pools with GPUs");
  EXPECT_EQ(errors("cluster: c\nnodes:\n- {pool: cpu, count: 1, cpu: 8, memory: 1GiB, gpu: {model: "
                   "H100-SXM, count: 8}}\n"),
            "c.yaml:3: nodes[0].pool: the pool cpu is what jobs without GPUs use; a pool with GPUs "
            "has another name");
}

TEST(ClusterYaml, AGuaranteeMayBeInCells) {
  EXPECT_EQ(with_queues("- {name: a, cells: {rack: 2}}\n"), "accepted");
  EXPECT_EQ(
      with_queues("- {name: a, cells: {rack: 1, node: 1}}\n- {name: b, cells: {h: {node: 2}}}\n"),
      "c.yaml:6: queues[1].guarantee.h: overcommitted: 40 are guaranteed, pool h has 32");
  EXPECT_EQ(with_queues("- {name: a, cells: {rack: 3}}\n"),
            "c.yaml:5: queues[0].cells: 3 is not in 1..2: pool h has no more such domains");
  EXPECT_EQ(with_queues("- {name: a, cells: {pod: 1}}\n"),
            "c.yaml:5: queues[0].cells: the size of such a domain in pool h is not given");
  EXPECT_EQ(with_queues("- {name: a, cells: {rak: 1}}\n"),
            "c.yaml:5: queues[0].cells.rak: rak is not node, nvlink_domain, rack, leaf or pod; did "
            "you mean rack?");
}

TEST(ClusterYaml, WindowsNameNodesAndQueuesThatExist) {
  const std::string start = "cluster: c\nnodes:\n- {pool: p, count: 2, cpu: 1, memory: 1GB}\n";
  EXPECT_EQ(errors(start + "maintenance:\n- {name: m, nodes: 'p-[0002-0003]', start: '2027-01-02', "
                           "end: '2027-01-01'}\n"),
            "c.yaml:5: maintenance[0].end: it is not after the start\n"
            "c.yaml:5: maintenance[0].nodes: there is no node p-0003");
  EXPECT_EQ(errors(start + "reservations:\n- {name: m, nodes: p-0001, start: '2027-01-01', end: "
                           "'2027-01-02', queue: q}\n"),
            "c.yaml:5: reservations[0].queue: unknown queue q");
}

TEST(ClusterYaml, OneNameHasOneMemory) {
  const auto site = read_cluster_yaml(
      "c",
      "cluster: c\nnodes:\n"
      "- {pool: a, count: 1, cpu: 1, memory: 1GB, gpu: {model: X, count: 1, memory: 8GB}}\n"
      "- {pool: b, count: 1, cpu: 1, memory: 1GB, gpu: {model: X, count: 1, memory: 9GB}}\n",
      known_products());
  ASSERT_TRUE(site) << site.error().message;
  EXPECT_EQ(build_cluster(*site, built_in_catalogue()).error().message,
            "pool b: GPU model X has two memories: 8GB and 9GB");
}

}  // namespace headroom::formats

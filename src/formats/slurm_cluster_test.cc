#include "formats/slurm_cluster.h"

#include "formats/cluster_yaml.h"
#include "formats/node_names.h"

namespace headroom::formats {
namespace {

base::Result<ImportedSite> import(const std::vector<std::string>& texts) {
  std::vector<NamedText> named;
  for (const std::string& text : texts)
    named.push_back({"file" + std::to_string(named.size()), text});
  return import_slurm_texts(named, {});
}

std::string yaml_of(const std::vector<std::string>& texts) {
  const auto imported = import(texts);
  return imported ? write_cluster_yaml(imported->site) : imported.error().message;
}

const std::string kConf =
    "ClusterName=bed   # the test bed\n"
    "NodeName=DEFAULT CPUs=96 \\\n  RealMemory=1048576\n"
    "NodeName=n[1-8] Gres=gpu:a100_80gb:4\nNodeName=c[01-02] Sockets=2 CoresPerSocket=32\n"
    "PartitionName=gpu Nodes=n[1-8] Default=YES\n";

TEST(SlurmCluster, NodesOfEqualHardwareBecomePools) {
  EXPECT_EQ(yaml_of({"ClusterName=bed\nNodeName=n[1-8] CPUs=16 RealMemory=64000 Gres=gpu:l4:2\n"
                     "NodeName=c1,c2 Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=4096\n"
                     "PartitionName=gpu Nodes=ALL\n"}),
            "cluster: bed\nnodes:\n"
            "  - pool: l4\n    count: 8\n    name: \"n[1-8]\"\n    gpu: {model: L4, count: 2}\n"
            "    cpu: 16\n    memory: 64000MiB\n"
            "  - {pool: cpu, count: 2, name: \"c[1-2]\", cpu: 128, memory: 4GiB}\n"
            "queues:\n  - {name: gpu}\n");
}

TEST(SlurmCluster, DefaultsContinuedLinesAndCommentsOfSlurmConf) {
  const auto imported = import({kConf});
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->site.nodes.size(), 2u);
  EXPECT_EQ(imported->site.nodes[0].cpu, base::CpuMilli{96'000});
  EXPECT_EQ(imported->site.nodes[0].memory, base::gibibytes(1024));
}

TEST(SlurmCluster, GresConfTellsTypesThatSlurmConfLeavesOpen) {
  const auto imported = import({"NodeName=n[1-2] CPUs=8 RealMemory=1000 Gres=gpu:8\n",
                                "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->site.nodes.size(), 1u);
  EXPECT_EQ(imported->site.nodes[0].gpu->model, "H100-SXM");
  EXPECT_EQ(imported->site.nodes[0].gpu->count, 8);
}

TEST(SlurmCluster, TreeTopologyOrdersNodesByLeaf) {
  const auto imported = import({kConf,
                                "SwitchName=l1 Nodes=n[1,3,5,7]\nSwitchName=l2 Nodes=n[2,4,6,8]\n"
                                "SwitchName=spine Switches=l[1-2]\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->site.nodes[0].name, "n[1,3,5,7,2,4,6,8]");
  EXPECT_EQ(imported->site.nodes[0].pod_size, 8);
  EXPECT_EQ(imported->site.fabric->leaf_nodes, 4);
}

TEST(SlurmCluster, BlocksBecomeNvlinkDomains) {
  const auto imported = import({kConf,
                                "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\n"
                                "BlockSizes=4,8\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->site.nodes[0].nvlink_domain, 4);
}

TEST(SlurmCluster, AccountsBecomeATreeOfQueues) {
  const auto imported = import({kConf,
                                "Account|User|RawShares|NormShares\nroot|||0\n root|root|1|0.1\n"
                                " science||70|0.7\n  vision||2|0.5\n   vision|ana|parent|0.5\n"
                                " industry||30|0.3\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->site.queues.size(), 3u);
  EXPECT_EQ(imported->site.queues[0].name, "science");
  EXPECT_EQ(imported->site.queues[0].weight, 70);
  EXPECT_EQ(imported->site.queues[2].name, "science/vision");
}

TEST(SlurmCluster, LimitsOfGpusAndOfUsersAreTakenOver) {
  const auto imported =
      import({"ClusterName=bed\nNodeName=n[1-8] CPUs=8 RealMemory=1000 Gres=gpu:h100:8\n",
              "Cluster|Account|User|Share|GrpTRES|MaxJobs|MaxSubmit\n"
              "bed|research||30|gres/gpu=16,cpu=8|5|9\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  const model::Queue& queue = imported->site.queues.at(0);
  EXPECT_EQ(queue.limit, (std::vector<model::PoolAmount>{{"h100", 16}}));
  EXPECT_EQ(queue.user_limits.running, 5);
  EXPECT_EQ(queue.user_limits.waiting, 9);
}

TEST(SlurmCluster, UnknownGpuTypesAreWrittenWithAMemoryToCorrect) {
  const auto imported = import({"NodeName=n1 CPUs=8 RealMemory=1000 Gres=gpu:gen:8\n"});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->site.nodes[0].gpu->model, "gen");
  const std::string note =
      "the GPU type gen is not in the catalogue: correct its memory, which is guessed as 80GB";
  EXPECT_NE(std::find(imported->notes.begin(), imported->notes.end(), note), imported->notes.end());
}

TEST(SlurmCluster, ErrorsNameThePlaceAndWhatIsAllowed) {
  EXPECT_EQ(yaml_of({"ClusterName=bed\nNodeName=n[1-3 CPUs=4\n"}),
            "file0:2: NodeName: a bracket is not closed");
  EXPECT_EQ(yaml_of({"NodeName=n1 CPUs=many\n"}),
            "file0:1: CPUs: many is not a whole number in 0..1000000");
  EXPECT_EQ(
      yaml_of({"ClusterName=bed\n"}),
      "file0: there are no nodes in it: give slurm.conf, scontrol show node or sinfo --json too");
  EXPECT_EQ(yaml_of({kConf, "Account|User|Share|ParentName\na||1|b\nb||1|a\n"}),
            "the account a is above itself");
  EXPECT_EQ(yaml_of({kConf, "Account|User|Share|ParentName\na||1|b\n"}),
            "the parent account b of a is not there");
  EXPECT_EQ(yaml_of({kConf, "Cluster|Account|User|Share\nx|a||1\ny|b||1\n"}),
            "file1:3: Cluster: y is a second cluster (first x)");
}

TEST(NodeNames, PatternsStandForTheSameNamesInTheSameOrder) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{"n1", "n2", "n3", "m"},
                                                {"n08", "n09", "n10"},
                                                {"n9", "n10", "n12"},
                                                {"a1.x", "a2.x", "b7"},
                                                {"n2", "n1"},
                                                {"login"},
                                                {"n099", "n100", "n1000"}}) {
    const std::string pattern = compress_names(names);
    const auto again = expand_slurm_names(pattern);
    ASSERT_TRUE(again) << pattern << again.error().message;
    EXPECT_EQ(*again, names) << pattern;
  }
  EXPECT_EQ(compress_names({"n1", "n2", "n3", "n7", "m"}), "n[1-3,7],m");
}

TEST(NodeNames, LongListsAreRead) {
  std::string list = "node[1";
  for (int i = 3; i < 2000; i += 2) list += "," + std::to_string(i);
  const auto names = expand_slurm_names(list + "]");
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(names->size(), 1000u);
  const auto again = expand_slurm_names(compress_names(*names));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *names);
}

}  // namespace
}  // namespace headroom::formats

#include "cli/this_machine.h"

#include <gtest/gtest.h>

#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"

namespace headroom::cli {
namespace {

model::Cluster cluster_of(const std::string& text) {
  const auto site = formats::read_cluster_yaml("cluster.yaml", text, formats::known_products());
  EXPECT_TRUE(site) << (site ? "" : site.error().message) << text;
  const auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
  EXPECT_TRUE(cluster) << (cluster ? "" : cluster.error().message);
  return cluster ? *cluster : model::Cluster{};
}

TEST(ThisMachine, ReadsNvidiaSmi) {
  const auto gpus =
      parse_nvidia_smi("NVIDIA H100 80GB HBM3, 81559\nNVIDIA H100 80GB HBM3, 81559\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0], (FoundGpu{"NVIDIA H100 80GB HBM3", 81'559}));
  EXPECT_EQ(product_of(gpus[0]), "H100-SXM");
  EXPECT_EQ(product_of({"Tesla T4", 15'360}), "T4");
  EXPECT_EQ(product_of({"NVIDIA GeForce RTX 4090", 24'564}), "");
  EXPECT_TRUE(parse_nvidia_smi("No devices were found\n").empty());
}

TEST(ThisMachine, EveryMachineGivesAClusterThatIsRead) {
  Machine machine{.host = "box", .cpus = 64, .memory = std::int64_t{256} << 30};
  machine.no_gpus = "nvidia-smi is not there or names none";
  EXPECT_EQ(cluster_of(cluster_text(machine, 0, "")).gpu_capacity().value(), 0);
  EXPECT_EQ(cluster_of(cluster_text(machine, 8, "H100-SXM")).gpu_capacity().value(), 8000);
  machine.gpus = {{"NVIDIA H100 80GB HBM3", 81'559}, {"NVIDIA H100 80GB HBM3", 81'559}};
  EXPECT_EQ(cluster_of(cluster_text(machine, 0, "")).gpu_models.at(0).name, "H100-SXM");
  machine.gpus = {{"NVIDIA GeForce RTX 4090", 24'564}};
  EXPECT_EQ(cluster_of(cluster_text(machine, 0, "")).gpu_models.at(0).name, "GeForce_RTX_4090");
  EXPECT_EQ(cluster_of(cluster_text(inspect_machine(), 0, "")).nodes.size(), 1U);
}

}  // namespace
}  // namespace headroom::cli

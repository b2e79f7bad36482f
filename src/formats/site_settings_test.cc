#include "formats/site_settings.h"

#include <gtest/gtest.h>

#include "formats/cluster_yaml.h"

namespace headroom::formats {
namespace {

const char* const kSite = R"(cluster: east
nodes:
  - {pool: h100, count: 8, name: 'h[01-08]', gpu: {model: H100-SXM, count: 8}, cpu: 112, memory: 2TiB}
  - {pool: a100, count: 2, gpu: {model: A100-80-SXM, count: 8}, cpu: 96, memory: 1TiB}
queues:
  - {name: research, guarantee: {h100: 32}}
  - {name: research/vision.eu, weight: 2}
maintenance:
  - {name: firmware, nodes: 'h[05-08]', start: '2027-02-01', end: '2027-02-02'}
  - {name: late, nodes: h08, start: '2027-03-01', end: '2027-03-02'}
)";

model::Site site() {
  auto read = read_cluster_yaml("site.yaml", kSite, known_products());
  EXPECT_TRUE(read) << read.error().message;
  return *read;
}

base::Result<model::Site> with(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) settings.push_back(*parse_setting(text));
  return with_settings(site(), settings, known_products());
}

std::string error_of(const std::string& text) {
  const auto result = with({text});
  return result ? "" : result.error().message;
}

TEST(SiteSettings, NothingSetIsTheSameSite) { EXPECT_EQ(*with({}), site()); }

TEST(SiteSettings, NodesOfTheFirstPoolWithGpusAndOfANamedOne) {
  EXPECT_EQ(with({"nodes=6"})->nodes[0].count, 6);
  EXPECT_EQ(with({"nodes.a100=5"})->nodes[1].count, 5);
  EXPECT_EQ(*with({"nodes.a100.count=5"}), *with({"nodes.a100=5"}));
  EXPECT_EQ(with({"nodes.a100.gpu.count=4"})->nodes[1].gpu->count, 4);
}

TEST(SiteSettings, NamesOfNodesFollowTheirNumber) {
  EXPECT_EQ(with({"nodes=10"})->nodes[0].name, "h[01-10]");
  EXPECT_EQ(with({"nodes=5"})->nodes[0].name, "h[01-05]");
  const auto named = with({"nodes=4", "nodes.h100.name=w,x,y,z"});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->nodes[0].name, "w,x,y,z");
}

TEST(SiteSettings, WindowsKeepTheNodesThatAreThere) {
  const auto fewer = with({"nodes=6"});
  ASSERT_TRUE(fewer) << fewer.error().message;
  ASSERT_EQ(fewer->maintenance.size(), 1u);
  EXPECT_EQ(fewer->maintenance[0].nodes, "h[05-06]");
}

TEST(SiteSettings, AQueueIsNamedByItsPathWhichMayHaveDots) {
  EXPECT_EQ(with({"queues.research/vision.eu.weight=7"})->queues[1].weight, 7);
  const auto more = with({"queues.research.guarantee.a100=16"});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->queues[0].guarantee.size(), 2u);
}

TEST(SiteSettings, ABareGuaranteeIsOfTheOnlyPool) {
  EXPECT_NE(error_of("queues.research.guarantee=8").find("there are several pools"),
            std::string::npos);
  model::Site one = site();
  one.nodes.pop_back();
  const auto set = with_settings(one, {{"queues.research.guarantee", "8"}}, known_products());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->queues[0].guarantee[0].amount, 8);
}

TEST(SiteSettings, ErrorsNameTheSettingAndWhatIsAllowed) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_TRUE(error.starts_with(text + ": ")) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  };
  has("queues.reserch.weight=2", "did you mean research?");
  has("queues.research.wieght=2", "did you mean weight?");
  has("queues.research.weight=0", "1..1000000");
  has("queues.research.guarantee.h100=100", "overcommitted");
  has("nodes.h200.count=3", "h100");
  has("nodes=0", "1..1000000");
  has("nodes=3", "overcommitted: 32 are guaranteed");
  has("nodse=3", "did you mean nodes?");
  has("queues=3", "queues.NAME.KEY");
  has("queues.research=3", "name the key");
  has("nodes.h100.cpu.x=3", "cpu has no parts");
  has("nodes..count=3", "");
}

TEST(SiteSettings, ATextWithoutKeyOrValueIsRefused) {
  for (const char* bad : {"nodes", "=3", "nodes=", ""}) {
    EXPECT_FALSE(parse_setting(bad)) << bad;
  }
}

TEST(SiteSettings, SweepsAreRangesStepsAndLists) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(*parse_sweep_values("3-5"), (Values{"3", "4", "5"}));
  EXPECT_EQ(*parse_sweep_values("30-60:15"), (Values{"30", "45", "60"}));
  EXPECT_EQ(*parse_sweep_values("30-59:15"), (Values{"30", "45"}));
  EXPECT_EQ(*parse_sweep_values("8,16"), (Values{"8", "16"}));
  EXPECT_EQ(*parse_sweep_values("8"), (Values{"8"}));
  EXPECT_EQ(*parse_sweep_values("30min,1h"), (Values{"30min", "1h"}));
  EXPECT_NE(parse_sweep_values("1-9:0").error().message.find("step"), std::string::npos);
  EXPECT_NE(parse_sweep_values("1-99999999").error().message.find("10000"), std::string::npos);
  EXPECT_FALSE(parse_sweep_values("1,,2"));
  EXPECT_FALSE(parse_sweep_values(""));
}

}  // namespace
}  // namespace headroom::formats

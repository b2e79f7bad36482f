#include "server/site_change.h"

#include <gtest/gtest.h>

#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/known.h"
#include "schedule/queue_tree.h"

namespace headroom::server {

namespace {

const char* const kSite = R"(cluster: lab
nodes:
  - {pool: h100, count: 2, name: 'h[1-2]', gpu: {model: H100-SXM, count: 8}, cpu: 96, memory: 1TiB}
queues:
  - {name: research, guarantee: {h100: 8}}
  - {name: product, guarantee: {h100: 8}}
)";

model::Site site_of(const std::string& text) {
  auto site = formats::read_cluster_yaml("cluster.yaml", text, formats::known_products());
  EXPECT_TRUE(site.has_value()) << (site ? "" : site.error().message);
  return site ? *site : model::Site{};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class SiteChangeTest : public testing::Test {
 protected:
  SiteChangeTest() {
    const model::Site site = site_of(kSite);
    auto cluster = std::make_shared<const model::Cluster>(
        *formats::build_cluster(site, formats::built_in_catalogue()));
    auto tree =
        std::make_shared<const schedule::QueueTree>(site.queues, schedule::pool_names(*cluster));
    state_.emplace(cluster, tree);
  }

  // The lines of the change to this text; its events are allowed and lead there.
  std::vector<std::string> lines(const std::string& text) {
    const model::Site site = site_of(text);
    auto change = change_to(*state_, site);
    EXPECT_TRUE(change.has_value()) << (change ? "" : change.error().message);
    for (const model::Event& event : change->events) {
      const auto ok = check(*state_, event);
      EXPECT_TRUE(ok.has_value()) << (ok ? "" : ok.error().message);
      apply(*state_, {.sequence = ++sequence_, .time = base::Time{1'000}, .what = event});
    }
    EXPECT_TRUE(change_to(*state_, site)->events.empty()) << "it leads somewhere else";
    return change->lines;
  }

  std::optional<schedule::State> state_;
  std::uint64_t sequence_ = 0;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_F(SiteChangeTest, TheSameFileChangesNothing) { EXPECT_EQ(lines(kSite), Lines{}); }

TEST_F(SiteChangeTest, ANodeIsAddedAndTakenAway) {
  const std::string more =
      replaced(replaced(kSite, "count: 2, name", "count: 3, name"), "h[1-2]", "h[1-3]");
  EXPECT_EQ(lines(more), Lines{"+ node h3 (h100)"});
  EXPECT_EQ(lines(kSite), Lines{"- node h3"});
}

TEST_F(SiteChangeTest, AGuaranteeMovesFromOneQueueToAnother) {
  const std::string moved =
      replaced(replaced(kSite, "{name: research, guarantee: {h100: 8}}",
                        "{name: research, guarantee: {h100: 12}, weight: 2}"),
               "{name: product, guarantee: {h100: 8}}", "{name: product, guarantee: {h100: 4}}");
  EXPECT_EQ(lines(moved),
            (Lines{"~ queue product: guarantee", "~ queue research: guarantee, weight"}));
}

TEST_F(SiteChangeTest, QueuesComeAndGoWithThoseBelowThem) {
  const std::string more =
      std::string(kSite) + "  - {name: ops}\n  - {name: ops/night, limit: {h100: 4}}\n";
  EXPECT_EQ(lines(more), (Lines{"+ queue ops", "+ queue ops/night"}));
  EXPECT_EQ(lines(kSite), (Lines{"- queue ops/night", "- queue ops"}));
}

TEST_F(SiteChangeTest, AReservationMayNameANodeThatIsAddedWithIt) {
  const std::string more =
      replaced(replaced(kSite, "count: 2, name", "count: 3, name"), "h[1-2]", "h[1-3]") +
      "reservations:\n  - {name: demo, nodes: h3, start: 2030-01-01T00:00:00Z, end: "
      "2030-01-02T00:00:00Z, queue: product}\n";
  EXPECT_EQ(lines(more), (Lines{"+ node h3 (h100)", "+ reservation demo"}));
  EXPECT_EQ(lines(kSite), (Lines{"- reservation demo", "- node h3"}));
}

}  // namespace headroom::server

// What is generated, written and read again is the same.
#include "simulate/generate.h"

#include <gtest/gtest.h>

#include "cli/history_file.h"
#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/own_history.h"

namespace headroom::cli {
namespace {

base::Result<model::History> read(const std::string& form, const std::string& text) {
  if (form == "jsonl") return formats::read_history_jsonl("t", text, formats::known_products(), {});
  if (form == "yaml") return formats::read_history_yaml("t", text, formats::known_products());
  return formats::read_history_csv("t", text, formats::known_products(), {});
}

TEST(GenerateFiles, ReadAsTheyWereMade) {
  for (const std::string& name : simulate::load_names()) {
    const auto made = simulate::generate({.load_name = name, .seed = 1, .days = 3, .nodes = 8});
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_GT(made->jobs.jobs.size(), 100u);
    for (const char* form : {"csv", "jsonl", "yaml"}) {
      const auto again = read(form, history_text(made->jobs, form));
      ASSERT_TRUE(again) << form << ": " << again.error().message;
      EXPECT_EQ(again->jobs, made->jobs.jobs) << name << " " << form;
    }
    const auto site = formats::read_cluster_yaml("t", formats::write_cluster_yaml(made->site),
                                                 formats::known_products());
    ASSERT_TRUE(site) << site.error().message;
    EXPECT_EQ(*site, made->site);
    const auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster->gpu_capacity().value(), 8 * 8 * 1000);
  }
}

TEST(GenerateFiles, TheNameSaysTheForm) {
  EXPECT_EQ(form_of_file("jobs.jsonl"), "jsonl");
  EXPECT_EQ(form_of_file("a.b/jobs.YML"), "yaml");
  EXPECT_EQ(form_of_file("a.yaml/jobs"), "csv");
  EXPECT_EQ(form_of_file(""), "csv");
}

}  // namespace
}  // namespace headroom::cli

#include "cli/client/output.h"

#include <gtest/gtest.h>

namespace headroom::cli {
namespace {

Listing jobs() {
  return {.items = {Json::parse(R"({"id":"9","name":"a,b","gpus":2,"nodes":["n1","n2"]})"),
                    Json::parse(R"({"id":"10","name":"c","gpus":null,"nodes":[]})")},
          .rest = Json::parse(R"({"observed":"2026-11-30T12:00:00Z"})")};
}

std::vector<ItemColumn> columns() {
  return {{.key = "id", .title = "ID"},
          {.key = "name", .title = "NAME"},
          {.key = "gpus", .title = "GPUS", .left = false},
          {.key = "nodes", .title = "NODES", .wide_only = true}};
}

std::string text(const OutputFlags& flags) {
  const auto result = items_text(columns(), jobs(), flags);
  return result ? *result : result.error().message;
}

TEST(Output, TablesHaveTheUsualColumnsOrAll) {
  EXPECT_EQ(text({}), "ID  NAME  GPUS\n9   a,b      2\n10  c        -\n");
  EXPECT_EQ(text({.form = "wide"}),
            "ID  NAME  GPUS  NODES\n9   a,b      2  n1,n2\n10  c        -  -\n");
  EXPECT_EQ(text({.columns = {"NODES", "id"}, .no_headers = true}), "n1,n2  9\n-      10\n");
}

TEST(Output, ProgramsGetTheFieldsAsTheyAre) {
  EXPECT_EQ(text({.form = "jsonl"}),
            "{\"id\":\"9\",\"name\":\"a,b\",\"gpus\":2,\"nodes\":[\"n1\",\"n2\"]}\n"
            "{\"id\":\"10\",\"name\":\"c\",\"gpus\":null,\"nodes\":[]}\n");
  EXPECT_EQ(text({.form = "csv"}), "id,name,gpus,nodes\n9,\"a,b\",2,\"n1,n2\"\n10,c,,-\n");
  const Json document = Json::parse(text({.json = true}));
  EXPECT_EQ(document["items"].size(), 2U);
  EXPECT_EQ(document["observed"], "2026-11-30T12:00:00Z");
  EXPECT_NE(text({.form = "yaml"}).find("observed:"), std::string::npos);
}

TEST(Output, SortsNumbersByValueAndWhatIsMissingLast) {
  const OutputFlags by_id{.columns = {"id"}, .sort = "id", .no_headers = true};
  EXPECT_EQ(text(by_id), "9\n10\n");
  OutputFlags reverse = by_id;
  reverse.sort = "-id";
  EXPECT_EQ(text(reverse), "10\n9\n");
  OutputFlags by_gpus = by_id;
  by_gpus.sort = "gpus";
  EXPECT_EQ(text(by_gpus), "9\n10\n");
}

TEST(Output, WhatIsNotThereIsToldWithTheNearest) {
  EXPECT_EQ(text({.columns = {"nam"}}), "--columns: there is no nam (did you mean name?)");
  EXPECT_EQ(text({.sort = "-idd"}), "--sort: there is no field idd (did you mean id?)");
}

TEST(Output, FailuresKeepTheirMeaning) {
  const auto code = [](int status, const char* body) {
    return failure_of(status, body, "server").exit_code;
  };
  EXPECT_EQ(code(400, ""), kUsage);
  EXPECT_EQ(code(403, ""), kForbidden);
  EXPECT_EQ(code(404, ""), kNotFound);
  EXPECT_EQ(code(412, ""), kConflict);
  EXPECT_EQ(code(422, R"({"type":"urn:headroom:quota"})"), kRefused);
  EXPECT_EQ(code(503, "<html>"), kUnreachable);
  const Failure failure = failure_of(
      422, R"({"detail":"no","errors":[{"where":"gpus","message":"99 is not in 0..16"}]})", "s");
  const Failure summed = failure_of(
      422,
      R"j({"detail":"body:3: a (and 1 more)","errors":[{"where":"body","message":"body:3: a"},
                                                    {"where":"body","message":"body:4: b"}]})j",
      "s");
  EXPECT_EQ(summed.message, "body:3: a\nbody:4: b");
  EXPECT_EQ(failure.message, "no\ngpus: 99 is not in 0..16");
}

TEST(Output, UrlsAreEncoded) {
  EXPECT_EQ(url_encoded("a/b c%\xc3\xa4"), "a%2Fb%20c%25%C3%A4");
  EXPECT_EQ(url_encoded("../x"), "..%2Fx");
}

}  // namespace
}  // namespace headroom::cli

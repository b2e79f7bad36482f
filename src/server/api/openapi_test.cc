#include "server/api/openapi.h"

#include <gtest/gtest.h>

#include <set>

#include "server/api/routes.h"
#include "server/api/schema.h"

namespace headroom::server::api {

using formats::Value;

namespace {

// Every "$ref" of a document.
void references_of(const Value& value, std::set<std::string>& found) {
  if (const Value* const reference = value.is_map() ? value.find("$ref") : nullptr) {
    found.insert(reference->text);
  }
  for (const Value& item : value.items) references_of(item, found);
}

}  // namespace

TEST(Routes, EachHasAnOperationOfItsOwnAndSaysAllItsPathParameters) {
  std::set<std::string> operations;
  const RouteTable table = all_routes();
  for (const Route& route : table.routes()) {
    EXPECT_TRUE(operations.insert(route.operation).second) << route.operation;
    EXPECT_TRUE(route.handle) << route.operation;
    std::size_t at = 0;
    for (const std::string& segment : segments_of(route.path)) {
      if (!segment.starts_with('{')) continue;
      ASSERT_LT(at, route.parameters.size()) << route.operation;
      EXPECT_EQ("{" + route.parameters[at++].name + "}", segment) << route.operation;
    }
  }
}

TEST(Routes, APathFindsItsRouteAndItsValues) {
  const RouteTable table = all_routes();
  const auto found = table.find("POST", {"api", "v1", "jobs", "17", "cancel"});
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.route->operation, "cancelJob");
  EXPECT_EQ(found.values, std::vector<std::string>{"17"});
  EXPECT_EQ(table.find("GET", {"api", "v1", "queues", "a/b"}).values,
            std::vector<std::string>{"a/b"});
}

TEST(Routes, AnotherMethodIsToldThoseOfThePath) {
  const RouteTable table = all_routes();
  const auto found = table.find("DELETE", {"api", "v1", "jobs"});
  EXPECT_EQ(found.route, nullptr);
  EXPECT_EQ(found.other_methods, (std::vector<std::string>{"GET", "POST"}));
  EXPECT_TRUE(table.find("GET", {"api", "v1", "nothing"}).other_methods.empty());
}

TEST(Openapi, EverySchemaThatIsReferredToIsThere) {
  const Value document = openapi(all_routes(), "1");
  std::set<std::string> references;
  references_of(document, references);
  EXPECT_GT(references.size(), 5u);
  const Value& schemas = *document.find("components")->find("schemas");
  for (const std::string& reference : references) {
    const std::string prefix = "#/components/schemas/";
    ASSERT_TRUE(reference.starts_with(prefix)) << reference;
    EXPECT_NE(schemas.find(reference.substr(prefix.size())), nullptr) << reference;
  }
}

}  // namespace headroom::server::api

// Route: one verb of the API as data. One table of routes does three things: it routes, it checks
// parameters, and it is the OpenAPI document (openapi.h), so that none of them can be forgotten.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/value.h"

namespace headroom::server::api {

class Call;

struct Parameter {
  std::string name;
  std::string says;
  formats::Value schema;
};

// What is sent or answered with a status.
struct Content {
  std::string says;
  std::string type = "application/json";
  formats::Value schema;  // kNull: none
};

struct Route {
  std::string method;                      // GET, POST, PATCH, PUT, DELETE
  std::string path;                        // "/api/v1/jobs/{id}"
  std::string operation;                   // "getJob", unique
  std::string says;                        // one line
  std::vector<Parameter> parameters = {};  // of the path (as many as it has braces), then the query
  std::vector<Content> bodies = {};        // any one of them; empty: no body
  int status = 200;                        // when all went well
  Content answer;
  std::vector<int> problems = {};  // that it may answer, beside those of every route
  std::function<void(std::shared_ptr<Call>)> handle;
  bool is_public = false;  // needs no sign-in
  bool is_secret = false;  // its answer is not kept for a repetition
};

// Segments of a path: "jobs", "{id}".
std::vector<std::string> segments_of(const std::string& path);

class RouteTable {
 public:
  void add(std::vector<Route> routes);
  const std::vector<Route>& routes() const { return routes_; }

  struct Found {
    const Route* route = nullptr;            // nullptr: none
    std::vector<std::string> values;         // of the path's parameters
    std::vector<std::string> other_methods;  // of this path, when the method is not one of them
  };
  // O(routes).
  Found find(const std::string& method, const std::vector<std::string>& path) const;

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;
};

}  // namespace headroom::server::api

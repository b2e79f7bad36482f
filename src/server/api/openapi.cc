#include "server/api/openapi.h"

#include <algorithm>
#include <set>

#include "server/api/schema.h"
#include "server/net/http.h"

namespace headroom::server::api {

using formats::Value;

namespace {

// What any route may answer: a bad request, not signed in, not allowed, too large, too many.
constexpr int kAlways[] = {400, 401, 403, 405, 408, 413, 429, 431, 500, 503};

Value content_of(const std::vector<Content>& contents) {
  Value by_type = Value::map();
  for (const Content& one : contents) {
    Value media = Value::map();
    if (one.schema.is_map()) media.set("schema", one.schema);
    by_type.set(one.type, std::move(media));
  }
  return by_type;
}

Value parameters_of(const Route& route) {
  Value list = Value::list();
  const auto in_path =
      static_cast<std::size_t>(std::count(route.path.begin(), route.path.end(), '{'));
  for (std::size_t i = 0; i < route.parameters.size(); ++i) {
    const Parameter& one = route.parameters[i];
    list.items.push_back(Value::map({{"name", Value::string(one.name)},
                                     {"in", Value::string(i < in_path ? "path" : "query")},
                                     {"description", Value::string(one.says)},
                                     {"required", Value::boolean(i < in_path)},
                                     {"schema", one.schema}}));
  }
  return list;
}

Value answers_of(const Route& route) {
  Value answers = Value::map();
  Value good = Value::map({{"description", Value::string(route.answer.says)}});
  if (route.status != 204) good.set("content", content_of({route.answer}));
  answers.set(std::to_string(route.status), std::move(good));
  std::set<int> problems(std::begin(kAlways), std::end(kAlways));
  problems.insert(route.problems.begin(), route.problems.end());
  for (const int status : problems) {
    answers.set(
        std::to_string(status),
        Value::map(
            {{"description", Value::string(net::reason_phrase(status))},
             {"content", content_of({{"", "application/problem+json", reference("Problem")}})}}));
  }
  return answers;
}

Value operation_of(const Route& route) {
  Value operation = Value::map({{"operationId", Value::string(route.operation)},
                                {"summary", Value::string(route.says)},
                                {"parameters", parameters_of(route)}});
  if (!route.bodies.empty()) {
    operation.set("requestBody", Value::map({{"required", Value::boolean(true)},
                                             {"content", content_of(route.bodies)}}));
  }
  operation.set("responses", answers_of(route));
  if (route.is_public) operation.set("security", Value::list());
  return operation;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Value openapi(const RouteTable& table, const std::string& version) {
  Value paths = Value::map();
  for (const Route& route : table.routes()) {
    const Value* const known = paths.find(route.path);
    Value path = known ? *known : Value::map();
    path.set(lower(route.method), operation_of(route));
    paths.set(route.path, std::move(path));
  }
  return Value::map(
      {{"openapi", Value::string("3.1.0")},
       {"info", Value::map({{"title", Value::string("Headroom")},
                            {"version", Value::string(version)},
                            {"description",
                             Value::string("Jobs, nodes, queues and use of a GPU cluster.")}})},
       {"security", Value::list({Value::map({{"token", Value::list()}})})},
       {"paths", std::move(paths)},
       {"components",
        Value::map({{"securitySchemes",
                     Value::map({{"token", Value::map({{"type", Value::string("http")},
                                                       {"scheme", Value::string("bearer")}})}})},
                    {"schemas", all_schemas()}})}});
}

}  // namespace headroom::server::api

#include "server/api/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "formats/quantity.h"
#include "formats/spelling.h"
#include "server/api/call.h"
#include "server/api/documents.h"
#include "server/api/routes.h"

namespace headroom::server::api {

using formats::Value;

namespace {

std::vector<std::string> allowed_of(const Value& schema) {
  std::vector<std::string> words;
  if (const Value* const list = schema.find("enum")) {
    for (const Value& one : list->items) words.push_back(one.text);
  }
  return words;
}

std::int64_t bound_of(const Value& schema, const char* key, std::int64_t otherwise) {
  const Value* const bound = schema.find(key);
  return bound ? std::stoll(bound->text) : otherwise;
}

// What is wrong with the value of a query parameter; none: nothing.
std::optional<std::string> wrong(const Parameter& parameter, const std::string& text) {
  const Value& schema = parameter.schema;
  const std::string& type = schema.find("type")->text;
  if (type == "integer") {
    const auto number = formats::parse_integer(text, bound_of(schema, "minimum", 0),
                                               bound_of(schema, "maximum", std::int64_t{1} << 53));
    if (!number) return number.error().message;
  } else if (type == "boolean") {
    if (text != "true" && text != "false") return "'" + text + "' is not true or false";
  } else if (const auto allowed = allowed_of(schema); !allowed.empty()) {
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
      return fmt::format("'{}' is not one of {}", text, fmt::join(allowed, ", "));
    }
  }
  return std::nullopt;
}

std::optional<net::Problem> wrong_query(const Route& route, const net::Request& request) {
  for (const auto& [name, text] : request.query) {
    const auto at = std::find_if(route.parameters.begin(), route.parameters.end(),
                                 [&](const Parameter& one) { return one.name == name; });
    if (at == route.parameters.end()) {
      std::vector<std::string> names;
      for (const Parameter& one : route.parameters) names.push_back(one.name);
      return problem(400, fmt::format("query: '{}' is not a parameter of {} {}{}", name,
                                      route.method, route.path, formats::hint(name, names)));
    }
    if (const auto what = wrong(*at, text)) return problem(400, name + ": " + *what);
  }
  return std::nullopt;
}

std::optional<net::Problem> wrong_body(const Route& route, const net::Request& request) {
  if (route.bodies.empty() || request.body.empty()) return std::nullopt;
  std::string type(request.header("Content-Type"));
  type.resize(std::min(type.size(), type.find(';')));
  const bool known = std::any_of(route.bodies.begin(), route.bodies.end(),
                                 [&](const Content& one) { return one.type == type; });
  if (known) return std::nullopt;
  std::vector<std::string> types;
  for (const Content& one : route.bodies) types.push_back(one.type);
  return problem(415, fmt::format("Content-Type: '{}' is not {}", type, fmt::join(types, " or ")));
}

net::Response refusal(const net::Problem& what, const net::Request& request,
                      const std::string& user = "") {
  net::Response response = net::problem_response(what, request.id);
  response.principal = user;
  return response;
}

base::Time wall_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return base::Time{std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

void handle(Services& services, net::Request request, net::Reply reply) {
  const RouteTable::Found found = services.routes.find(request.method, request.path);
  if (!found.route) {
    if (found.other_methods.empty()) {
      return reply.send(refusal(problem(404, "there is nothing at this path"), request));
    }
    const std::string allowed = fmt::format("{}", fmt::join(found.other_methods, ", "));
    net::Response response =
        refusal(problem(405, request.method + ": this path takes " + allowed), request);
    response.headers.emplace_back("Allow", allowed);
    return reply.send(std::move(response));
  }
  const Route& route = *found.route;
  access::Principal who;
  if (!route.is_public) {
    auto admitted = services.gate.admit(request, wall_clock(), std::chrono::steady_clock::now());
    if (!admitted) return reply.send(std::move(admitted.error()));
    who = std::move(*admitted);
  }
  if (auto what = wrong_query(route, request)) {
    return reply.send(refusal(*what, request, who.user));
  }
  if (auto what = wrong_body(route, request)) {
    return reply.send(refusal(*what, request, who.user));
  }
  const auto call = std::make_shared<Call>(services, route, std::move(request), std::move(reply),
                                           std::move(who), found.values);
  route.handle(call);
}

}  // namespace

net::Handler make_api(Services& services) {
  return [&services](net::Request request, net::Reply reply) {
    handle(services, std::move(request), std::move(reply));
  };
}

std::optional<std::uint64_t> body_limit(std::string_view method, std::string_view target) {
  constexpr std::uint64_t kLargestCluster = 16 << 20;  // as files of this kind (formats/load.h)
  if (method == "PUT" && target.starts_with("/api/v1/cluster")) return kLargestCluster;
  return std::nullopt;
}

// ---- what routes share

RouteTable all_routes() {
  RouteTable table;
  for (auto& routes :
       {status_routes(), job_routes(), job_change_routes(), log_routes(), node_routes(),
        queue_routes(), usage_routes(), cluster_routes(), access_routes(), event_routes()}) {
    table.add(routes);
  }
  return table;
}

Parameter limit_parameter() {
  Value schema = Value::map({{"type", Value::string("integer")},
                             {"minimum", Value::number(1)},
                             {"maximum", Value::number(1000)}});
  return {"limit", "of the page; default: 100", std::move(schema)};
}

Parameter continue_parameter() {
  return {"continue", "what the page before says", Value::map({{"type", Value::string("string")}})};
}

Parameter dry_run_parameter() {
  return {"dryRun", "check only", Value::map({{"type", Value::string("boolean")}})};
}

Value page_document(Value items, const std::string& more, base::Time observed) {
  Value page = Value::map({{"items", std::move(items)}});
  if (!more.empty()) page.set("continue", Value::string(more));
  page.set("observed", time_value(observed));
  return page;
}

net::Problem invalid_body(const base::Error& error) {
  net::Problem problem{.status = 422};
  for (std::size_t at = 0; at < error.message.size();) {
    const std::size_t end = std::min(error.message.find('\n', at), error.message.size());
    problem.errors.push_back({"body", error.message.substr(at, end - at)});
    at = end + 1;
  }
  problem.detail =
      problem.errors.empty() ? "body: it cannot be read" : problem.errors.front().message;
  if (problem.errors.size() > 1) {
    problem.detail += fmt::format(" (and {} more)", problem.errors.size() - 1);
  }
  return problem;
}

}  // namespace headroom::server::api

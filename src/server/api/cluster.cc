// The cluster's description: as it is, and another one, which is taken whole or not at all.
#include <fmt/format.h>

#include "formats/cluster_yaml.h"
#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"
#include "server/site_change.h"

namespace headroom::server::api {

using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

void get_cluster(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  call->look([call](const Change&) {
    const auto site = call->services().store.site();
    if (!site) return call->refuse(problem(500, site.error().message));
    call->answer(net::Response{
        .status = 200, .headers = {{"Content-Type", "application/yaml"}}, .body = *site});
  });
}

Outcome apply_site(const Call& call, Change& change, const model::Site& site) {
  if (site.cluster != change.state().cluster().cluster().name) {
    return tl::unexpected(
        problem(409, fmt::format("cluster: this server has '{}', the file is of '{}'",
                                 change.state().cluster().cluster().name, site.cluster)));
  }
  const auto wanted = change_to(change.state(), site);
  if (!wanted) return tl::unexpected(problem(409, wanted.error().message));
  const auto ok =
      call.is_dry_run() ? change.try_all(wanted->events) : change.record_all(wanted->events);
  if (!ok) return tl::unexpected(problem(409, ok.error().message));
  if (!call.is_dry_run()) change.also().site = call.request().body;
  Value lines = Value::list();
  for (const std::string& line : wanted->lines) lines.items.push_back(Value::string(line));
  return json(Value::map({{"changes", std::move(lines)}}));
}

void put_cluster(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kApply, "")) return call->refuse(*no);
  const auto site =
      formats::read_cluster_yaml("cluster.yaml", call->request().body, call->services().known);
  if (!site) return call->refuse(invalid_body(site.error()));
  call->change("cluster",
               [call, site = *site](Change& change) { return apply_site(*call, change, site); });
}

}  // namespace

std::vector<Route> cluster_routes() {
  // Its keys are in schema/cluster.schema.json, which is too long for this document.
  const Value a_map = Value::map({{"type", Value::string("object")}});
  return {{.method = "GET",
           .path = "/api/v1/cluster",
           .operation = "getCluster",
           .says = "cluster.yaml, as it was last applied",
           .answer = {"the file", "application/yaml", a_map},
           .handle = get_cluster},
          {.method = "PUT",
           .path = "/api/v1/cluster",
           .operation = "applyCluster",
           .says = "Nodes, queues and reservations as this cluster.yaml says, all or none",
           .parameters = {dry_run_parameter()},
           .bodies = {{"", "application/yaml", a_map}},
           .answer = {"what changes", "application/json", reference("Changes")},
           .problems = {409, 415, 422},
           .handle = put_cluster}};
}

}  // namespace headroom::server::api

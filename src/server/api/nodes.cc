// Nodes and GPUs: what there is, drain and undrain, failed and recovered.
#include <fmt/format.h>

#include <algorithm>

#include "formats/json_parser.h"
#include "formats/one_line.h"
#include "formats/quantity.h"
#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using formats::Value;
using model::NodeId;

namespace {

using CallPtr = std::shared_ptr<Call>;

NodeId find_node(const schedule::State& state, const std::string& name) {
  const auto& nodes = state.cluster().cluster().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == name && !name.empty()) return NodeId{i};
  }
  return NodeId::none();
}

// Nodes from `first` on, a page of them; `more` is where the next page begins.
template <class Visit>
std::string visit_page(const schedule::State& state, std::size_t first, std::int64_t limit,
                       const Visit& visit) {
  std::int64_t shown = 0;
  for (std::size_t i = first; i < state.cluster().node_count(); ++i) {
    if (state.node_removed(NodeId{i})) continue;
    if (shown == limit) return std::to_string(i);
    if (visit(NodeId{i})) ++shown;
  }
  return "";
}

std::optional<std::size_t> first_of(Call& call) {
  if (call.query("continue").empty()) return 0;
  const auto number = formats::parse_integer(call.query("continue"), 0, 0xffff'ffff);
  if (number) return static_cast<std::size_t>(*number);
  call.refuse(problem(400, "continue: it is what the page before says"));
  return std::nullopt;
}

void list_nodes(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  const auto first = first_of(*call);
  if (!first) return;
  call->look([call, first = *first](const Change& now) {
    Value items = Value::list();
    const std::string pool = call->query("pool");
    const std::string more = visit_page(now.state(), first, call->limit(), [&](NodeId id) {
      if (!pool.empty() && now.state().cluster().shape(id).pool != pool) return false;
      items.items.push_back(node_document(now.state(), id));
      return true;
    });
    call->answer(json(page_document(std::move(items), more, now.now())));
  });
}

void list_gpus(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  const auto first = first_of(*call);
  if (!first) return;
  call->look([call, first = *first](const Change& now) {
    Value items = Value::list();
    const std::int64_t nodes = std::max<std::int64_t>(1, call->limit() / model::kMaxGpusPerNode);
    const std::string more = visit_page(now.state(), first, nodes, [&](NodeId id) {
      Value gpus = gpu_documents(now.state(), id);
      std::move(gpus.items.begin(), gpus.items.end(), std::back_inserter(items.items));
      return !gpus.items.empty();
    });
    call->answer(json(page_document(std::move(items), more, now.now())));
  });
}

void get_node(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  call->look([call](const Change& now) {
    const NodeId id = find_node(now.state(), call->value(0));
    if (!id.valid()) return call->refuse(not_found("node '" + call->value(0) + "'"));
    call->answer(json(node_document(now.state(), id)));
  });
}

// {"reason": "…"}, or nothing.
base::Result<std::string> reason_of(const std::string& body) {
  if (body.empty()) return std::string();
  const auto tree = formats::parse_json("body", body);
  if (!tree) return tl::unexpected(tree.error());
  const Value* const reason = tree->is_map() ? tree->find("reason") : nullptr;
  if (!tree->is_map() || (!reason && !tree->items.empty()) || tree->items.size() > 1 ||
      (reason && !(reason->is_scalar() && reason->is_text))) {
    return base::fail(R"(body: it is {"reason": "text"})");
  }
  if (!reason) return std::string();
  if (!formats::is_one_line(reason->text))
    return base::fail("body: reason: has a control character");
  return reason->text;
}

using MakeEvent = std::function<model::Event(NodeId, const std::string& reason)>;

auto handler(MakeEvent make) {
  return [make = std::move(make)](const CallPtr& call) {
    const auto reason = reason_of(call->request().body);
    if (!reason) return call->refuse(invalid_body(reason.error()));
    if (auto no = call->forbidden(access::Action::kDrain, "")) return call->refuse(*no);
    call->change("node " + call->value(0),
                 [call, make, reason = *reason](Change& change) -> Outcome {
                   const NodeId id = find_node(change.state(), call->value(0));
                   if (!id.valid()) {
                     return tl::unexpected(not_found("node '" + call->value(0) + "'"));
                   }
                   const auto ok = change.record(make(id, reason));
                   if (!ok) return tl::unexpected(problem(409, ok.error().message));
                   return json(node_document(change.state(), id));
                 });
  };
}

Route node_route(const std::string& verb, const std::string& says, MakeEvent make) {
  return {.method = "POST",
          .path = "/api/v1/nodes/{name}/" + verb,
          .operation = verb + "Node",
          .says = says,
          .parameters = {{"name", "", text()}},
          .bodies = {{"", "application/json", object({{"reason", text(), "", false}})}},
          .answer = {"the node", "application/json", reference("Node")},
          .problems = {404, 409, 422},
          .handle = handler(std::move(make))};
}

}  // namespace

std::vector<Route> node_routes() {
  const Parameter name{"name", "", text()};
  return {{.method = "GET",
           .path = "/api/v1/nodes",
           .operation = "listNodes",
           .says = "Nodes, and what is free on them",
           .parameters = {{"pool", "", text()}, limit_parameter(), continue_parameter()},
           .answer = {"a page of nodes", "application/json", page_of("Node")},
           .handle = list_nodes},
          {.method = "GET",
           .path = "/api/v1/nodes/{name}",
           .operation = "getNode",
           .says = "A node",
           .parameters = {name},
           .answer = {"the node", "application/json", reference("Node")},
           .problems = {404},
           .handle = get_node},
          node_route("drain", "Takes no new work; what runs goes on",
                     [](NodeId id, const std::string& reason) -> model::Event {
                       return model::NodeDrained{id, reason, true};
                     }),
          node_route("undrain", "Takes work again",
                     [](NodeId id, const std::string& reason) -> model::Event {
                       return model::NodeDrained{id, reason, false};
                     }),
          node_route("fail", "The node is lost: its jobs are ended and wait again",
                     [](NodeId id, const std::string& reason) -> model::Event {
                       return model::NodeFailed{id, reason};
                     }),
          node_route("recover", "A failed node is back",
                     [](NodeId id, const std::string&) -> model::Event {
                       return model::NodeRecovered{id};
                     }),
          {.method = "GET",
           .path = "/api/v1/gpus",
           .operation = "listGpus",
           .says = "GPUs, each with the jobs that hold it",
           .parameters = {limit_parameter(), continue_parameter()},
           .answer = {"a page of GPUs, whole nodes", "application/json", page_of("Gpu")},
           .handle = list_gpus}};
}

}  // namespace headroom::server::api

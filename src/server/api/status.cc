// The server about itself: status, health, metrics, and the document of this API.
#include <fmt/format.h>

#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

void get_status(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  call->look([call](const Change& now) {
    const Services& services = call->services();
    Value limitations = Value::list();
    for (const std::string& one : services.limitations) {
      limitations.items.push_back(Value::string(one));
    }
    call->answer(json(Value::map(
        {{"version", Value::string(services.version)},
         {"cluster", Value::string(services.cluster)},
         {"epoch", Value::number(static_cast<std::int64_t>(services.store.epoch()))},
         {"sequence", Value::number(static_cast<std::int64_t>(now.sequence()))},
         {"time", time_value(now.now())},
         {"jobs", Value::number(static_cast<std::int64_t>(now.state().job_count()))},
         {"durability", Value::string("one machine: what is acknowledged survives power loss")},
         {"limitations", std::move(limitations)}})));
  });
}

void send_text(const CallPtr& call, std::string type, std::string body) {
  call->answer(net::Response{
      .status = 200, .headers = {{"Content-Type", std::move(type)}}, .body = std::move(body)});
}

void get_openapi(const CallPtr& call) {
  send_text(call, "application/json", call->services().document);
}

void get_health(const CallPtr& call) { send_text(call, "text/plain; charset=utf-8", "ok\n"); }

// Ready: the control thread answers.
void get_ready(const CallPtr& call) {
  call->look([call](const Change&) { send_text(call, "text/plain; charset=utf-8", "ready\n"); });
}

void get_metrics(const CallPtr& call) {
  call->look([call](const Change& now) {
    Metrics& metrics = call->services().metrics;
    const auto gauge = [&](const char* name, const char* help, std::int64_t value) {
      metrics.gauge(name, help).set(static_cast<double>(value));
    };
    const schedule::State& state = now.state();
    gauge("headroom_jobs_live", "Jobs that have not ended.",
          std::ssize(state.running()) + std::ssize(state.all_waiting()) +
              std::ssize(state.blocked()));
    gauge("headroom_jobs_running", "Jobs that hold resources.", std::ssize(state.running()));
    gauge("headroom_jobs_waiting", "Jobs that wait for resources.",
          std::ssize(state.all_waiting()));
    gauge("headroom_journal_sequence", "Last record of the journal.",
          static_cast<std::int64_t>(now.sequence()));
    for (std::size_t p = 0; p + 1 < state.queues().pools().size(); ++p) {
      const schedule::PoolId pool{p};
      std::int64_t held = 0;
      for (const schedule::QueueId top : state.queues().top()) held += state.held(top, pool);
      const Metrics::Labels labels = {{"pool", state.queues().pools()[p]}};
      metrics.gauge("headroom_gpus_capacity", "GPUs of healthy nodes.", labels)
          .set(static_cast<double>(state.capacity(pool)) / 1000.0);
      metrics.gauge("headroom_gpus_allocated", "GPUs that jobs hold.", labels)
          .set(static_cast<double>(held) / 1000.0);
    }
    const auto format = Metrics::accepted(call->request().header("Accept"));
    send_text(call, std::string(Metrics::content_type(format)), metrics.write(format));
  });
}

Route plain(const std::string& path, const std::string& operation, const std::string& says,
            std::function<void(CallPtr)> handle) {
  return {.method = "GET",
          .path = path,
          .operation = operation,
          .says = says,
          .answer = {says, "text/plain", text()},
          .handle = std::move(handle),
          .is_public = true};
}

}  // namespace

std::vector<Route> status_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/status",
       .operation = "getStatus",
       .says = "The server: version, cluster, durability, what this machine cannot guarantee",
       .answer = {"the status", "application/json", reference("Status")},
       .handle = get_status},
      {.method = "GET",
       .path = "/api/v1/openapi.json",
       .operation = "getOpenapi",
       .says = "This document",
       .answer = {"OpenAPI 3.1", "application/json",
                  Value::map({{"type", Value::string("object")}})},
       .handle = get_openapi,
       .is_public = true},
      plain("/healthz", "getHealth", "The process lives", get_health),
      plain("/readyz", "getReady", "Requests are answered", get_ready),
      plain("/metrics", "getMetrics", "Metrics, as OpenMetrics or Prometheus text", get_metrics)};
}

}  // namespace headroom::server::api

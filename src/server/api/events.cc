// The stream of what happens (server-sent events).
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

namespace {

// Everybody may follow the stream; it says of a job no more than its id, queue, user and state, and
// only to those who may see the job.
void get_events(const std::shared_ptr<Call>& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  Services& services = call->services();
  const access::Principal who = call->who();
  services.events.serve(call->request(), call->reply(), [&services, who](const net::Event& event) {
    if (event.type != "job") return true;
    const std::size_t bar = event.topic.find('\n');  // queue, owner
    return access::may(services.roles, who, access::Action::kSeeJob, event.topic.substr(0, bar),
                       event.topic.substr(bar + 1))
        .has_value();
  });
}

}  // namespace

std::vector<Route> event_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/events",
       .operation = "followEvents",
       .says = "What happens, as it happens: types job, node, queue and reset",
       .answer = {"events; Last-Event-ID goes on where a client left", "text/event-stream", text()},
       .handle = get_events}};
}

}  // namespace headroom::server::api

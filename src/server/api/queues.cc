// Queues: what each is guaranteed, holds, borrows and waits for.
#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

void list_queues(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, "")) return call->refuse(*no);
  call->look([call](const Change& now) {
    Value items = Value::list();
    for (const model::Queue& queue : now.state().queues().queues()) {
      items.items.push_back(queue_document(now.state(), now.state().queues().find(queue.name)));
    }
    call->answer(json(page_document(std::move(items), "", now.now())));
  });
}

void get_queue(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeCluster, call->value(0)))
    return call->refuse(*no);
  call->look([call](const Change& now) {
    const schedule::QueueId id = now.state().queues().find(call->value(0));
    if (!id.valid()) return call->refuse(not_found("queue '" + call->value(0) + "'"));
    call->answer(json(queue_document(now.state(), id)));
  });
}

}  // namespace

std::vector<Route> queue_routes() {
  return {{.method = "GET",
           .path = "/api/v1/queues",
           .operation = "listQueues",
           .says = "All queues",
           .answer = {"the queues, by name", "application/json", page_of("Queue")},
           .handle = list_queues},
          {.method = "GET",
           .path = "/api/v1/queues/{name}",
           .operation = "getQueue",
           .says = "A queue",
           .parameters = {{"name", "its full path, with / as %2F", text()}},
           .answer = {"the queue", "application/json", reference("Queue")},
           .problems = {404},
           .handle = get_queue}};
}

}  // namespace headroom::server::api

// Use of GPUs: by queue, user, kind and GPU model, as JSON or as a bill's rows (FOCUS 1.2).
#include <fmt/format.h>

#include <algorithm>

#include "formats/time.h"
#include "server/api/documents.h"
#include "server/api/focus.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using base::Time;
using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

constexpr std::int64_t kMonth = 30LL * 86'400'000;  // ms: what is shown unless told otherwise

std::optional<Time> time_of(Call& call, const char* name, Time otherwise) {
  const std::string text = call.query(name);
  if (text.empty()) return otherwise;
  const auto time = formats::parse_time(text);
  if (time) return *time;
  call.refuse(problem(400, fmt::format("{}: {}", name, time.error().message)));
  return std::nullopt;
}

// "queue,user": which keys the rows are told apart by.
std::optional<store::UsageQuery> query_of(Call& call, Time from, Time to) {
  store::UsageQuery query{.from = from, .to = to};
  std::string words = call.query("by");
  if (words.empty()) words = "queue";
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    const std::string word = words.substr(at, comma - at);
    at = comma + 1;
    if (word == "queue") {
      query.by_queue = true;
    } else if (word == "user") {
      query.by_user = true;
    } else if (word == "kind") {
      query.by_kind = true;
    } else if (word == "gpu_model") {
      query.by_gpu_model = true;
    } else {
      call.refuse(problem(400, "by: '" + word + "' is not queue, user, kind or gpu_model"));
      return std::nullopt;
    }
  }
  return query;
}

void get_usage(const CallPtr& call) {
  if (auto no = call->forbidden(access::Action::kSeeUsage, "")) return call->refuse(*no);
  call->look([call](const Change& now) {
    const auto to = time_of(*call, "to", now.now());
    if (!to) return;
    const auto from = time_of(*call, "from", Time{std::max<std::int64_t>(0, to->value() - kMonth)});
    if (!from) return;
    if (*from >= *to) return call->refuse(problem(400, "from: it is not before to"));
    auto query = query_of(*call, *from, *to);
    if (!query) return;
    const bool focus = call->query("format") == "focus-1.2";
    if (focus) query->by_queue = query->by_user = query->by_gpu_model = query->by_kind = true;
    call->read([call, query = *query, focus](store::Reader& reader) {
      const auto usage = reader.usage(query);
      if (!usage) return call->refuse(problem(500, usage.error().message));
      if (!focus) return call->answer(json(usage_document(*usage, query)));
      call->answer(net::Response{.status = 200,
                                 .headers = {{"Content-Type", "text/csv; charset=utf-8"}},
                                 .body = focus_csv(*usage, query, call->services().cluster)});
    });
  });
}

}  // namespace

std::vector<Route> usage_routes() {
  return {{.method = "GET",
           .path = "/api/v1/usage",
           .operation = "getUsage",
           .says = "GPU-hours: allocated, useful, and lost by cause",
           .parameters = {{"from", "default: 30 days before `to`", text()},
                          {"to", "default: now", text()},
                          {"by", "queue,user,kind,gpu_model; default: queue", text()},
                          {"format", "focus-1.2: a bill's rows as CSV",
                           text_one_of({"json", "focus-1.2"})}},
           .answer = {"the use", "application/json", reference("Usage")},
           .handle = get_usage}};
}

}  // namespace headroom::server::api

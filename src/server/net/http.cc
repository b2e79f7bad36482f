#include "server/net/http.h"

#include <strings.h>

#include <algorithm>
#include <atomic>

#include "base/assert.h"

namespace headroom::server::net {

namespace {

struct Phrase {
  int status;
  std::string_view text;
};
constexpr Phrase kPhrases[] = {{100, "Continue"},
                               {200, "OK"},
                               {201, "Created"},
                               {202, "Accepted"},
                               {204, "No Content"},
                               {206, "Partial Content"},
                               {301, "Moved Permanently"},
                               {302, "Found"},
                               {303, "See Other"},
                               {304, "Not Modified"},
                               {307, "Temporary Redirect"},
                               {308, "Permanent Redirect"},
                               {400, "Bad Request"},
                               {401, "Unauthorized"},
                               {403, "Forbidden"},
                               {404, "Not Found"},
                               {405, "Method Not Allowed"},
                               {406, "Not Acceptable"},
                               {408, "Request Timeout"},
                               {409, "Conflict"},
                               {410, "Gone"},
                               {411, "Length Required"},
                               {412, "Precondition Failed"},
                               {413, "Content Too Large"},
                               {414, "URI Too Long"},
                               {415, "Unsupported Media Type"},
                               {417, "Expectation Failed"},
                               {422, "Unprocessable Content"},
                               {428, "Precondition Required"},
                               {429, "Too Many Requests"},
                               {431, "Request Header Fields Too Large"},
                               {500, "Internal Server Error"},
                               {501, "Not Implemented"},
                               {503, "Service Unavailable"},
                               {505, "HTTP Version Not Supported"},
                               {507, "Insufficient Storage"}};

// For tests: an answer that goes to a function.
class FunctionSink final : public ReplySink {
 public:
  explicit FunctionSink(std::function<void(Response)> take) : take_(std::move(take)) {}
  void send(Response response) override { take_(std::move(response)); }
  void abandon() override { take_({.status = 500}); }
  std::shared_ptr<Stream> stream(Response) override {
    HEADROOM_ASSERT(false);  // this reply cannot stream
    return nullptr;
  }

 private:
  std::function<void(Response)> take_;
};

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key.size() == name.size() && strncasecmp(key.data(), name.data(), name.size()) == 0) {
      return value;
    }
  }
  return {};
}

struct Reply::Once {
  explicit Once(std::unique_ptr<ReplySink> to) : sink(std::move(to)) {}
  ~Once() {
    if (!used) sink->abandon();
  }
  ReplySink& use() {
    const bool before = used.exchange(true);
    HEADROOM_ASSERT(!before);
    return *sink;
  }
  std::unique_ptr<ReplySink> sink;
  std::atomic<bool> used{false};
};

Reply::Reply(std::unique_ptr<ReplySink> sink) : once_(std::make_shared<Once>(std::move(sink))) {}

Reply::Reply(std::function<void(Response)> take)
    : Reply(std::make_unique<FunctionSink>(std::move(take))) {}

void Reply::send(Response response) const { once_->use().send(std::move(response)); }

std::shared_ptr<Stream> Reply::stream(Response head) const {
  return once_->use().stream(std::move(head));
}

std::string_view reason_phrase(int status) {
  const auto* found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == std::end(kPhrases) ? "" : found->text;
}

}  // namespace headroom::server::net

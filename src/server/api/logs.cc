// What a job's tasks wrote: a piece, the last lines, or all of it while it grows.
#include <fmt/format.h>

#include <algorithm>

#include "engine/local_log.h"
#include "formats/quantity.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

constexpr std::int64_t kPiece = 256 << 10;       // bytes of an answer, or of a write when following
constexpr std::chrono::milliseconds kLook{200};  // between two looks at a log that is followed

struct Wanted {
  model::AllocationId id;
  std::int64_t rank = 0;
  std::int64_t offset = -1;  // -1: not given
  std::int64_t tail = -1;    // lines; -1: not given
  bool follow = false;
};

// A log that is followed: it ends when the job's attempt has ended and all of it was sent.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(CallPtr call, Wanted wanted, std::int64_t offset)
      : call_(std::move(call)), logs_(call_->services().logs), wanted_(wanted), offset_(offset) {}

  void start() {
    net::Response head{.status = 200,
                       .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                                   {"X-Content-Type-Options", "nosniff"}},
                       .principal = call_->who().user};
    stream_ = call_->reply().stream(std::move(head));
    look();
  }

 private:
  // Reads on; where there is nothing new, asks whether there will be.
  void look() {
    const auto self = shared_from_this();
    call_->services().readers.post([self](store::Reader& reader) {
      auto piece = self->logs_.read(self->wanted_.id, self->wanted_.rank, self->offset_, kPiece);
      if (piece && !piece->bytes.empty()) {
        self->over_ = false;
        self->offset_ = piece->next();
        self->stream_->write(std::move(piece->bytes), [self](bool alive) {
          if (alive) self->look();
        });
        return;
      }
      if (self->over_) return self->stream_->end();
      const auto row = reader.job(self->wanted_.id.job);
      // Once more when it has ended: what it wrote last may have come since.
      self->over_ = !row || !*row || !store::is_live((*row)->state) ||
                    (*row)->attempt != self->wanted_.id.attempt;
      if (self->over_) return self->look();
      self->later();
    });
  }

  void later() {
    const auto self = shared_from_this();
    call_->services().after(kLook, [self] {
      if (!self->closed_) self->look();
    });
  }

  CallPtr call_;
  const engine::LocalLogs& logs_;
  Wanted wanted_;
  std::int64_t offset_;
  std::shared_ptr<net::Stream> stream_;
  bool over_ = false;
  std::atomic<bool> closed_{false};
};

void answer_piece(const CallPtr& call, const engine::LogPiece& piece) {
  call->answer(net::Response{.status = 200,
                             .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                                         {"X-Content-Type-Options", "nosniff"},
                                         {"Headroom-Log-Offset", std::to_string(piece.offset)},
                                         {"Headroom-Log-Next", std::to_string(piece.next())}},
                             .body = piece.bytes});
}

// The part that was asked for: from an offset, the last lines, or (without either) the last part.
base::Result<engine::LogPiece> piece_of(const engine::LocalLogs& logs, const Wanted& wanted) {
  if (wanted.offset >= 0) return logs.read(wanted.id, wanted.rank, wanted.offset, kPiece);
  if (wanted.tail >= 0) return logs.tail(wanted.id, wanted.rank, wanted.tail, kPiece);
  const auto extent = logs.extent(wanted.id, wanted.rank);
  if (!extent) return tl::unexpected(extent.error());
  const std::int64_t from =
      wanted.follow ? extent->first : std::max(extent->first, extent->end - kPiece);
  return logs.read(wanted.id, wanted.rank, from, kPiece);
}

std::int64_t number_of(const Call& call, const char* name, std::int64_t otherwise) {
  const std::string text = call.query(name);
  return text.empty() ? otherwise : *formats::parse_integer(text, 0, std::int64_t{1} << 53);
}

void get_logs(const CallPtr& call) {
  call->read([call](store::Reader& reader) {
    const auto row = readable_job(*call, reader);
    if (!row) return;
    Wanted wanted{.id = {row->id, number_of(*call, "attempt", row->attempt)},
                  .rank = number_of(*call, "rank", 0),
                  .offset = number_of(*call, "offset", -1),
                  .tail = number_of(*call, "tail", -1),
                  .follow = call->query("follow") == "true"};
    if (row->attempt == 0) {
      return call->refuse(problem(409, "job " + model::to_text(row->id) + ": it has not run yet"));
    }
    const auto piece = piece_of(call->services().logs, wanted);
    if (!piece && !wanted.follow) return call->refuse(not_found(piece.error().message));
    if (!wanted.follow) return answer_piece(call, *piece);
    const std::int64_t from = piece ? piece->offset : 0;
    std::make_shared<Follower>(call, wanted, from)->start();
  });
}

}  // namespace

std::vector<Route> log_routes() {
  Value count = whole();
  count.set("minimum", Value::number(0));
  count.set("maximum", Value::number(std::int64_t{1} << 53));
  return {{.method = "GET",
           .path = "/api/v1/jobs/{id}/logs",
           .operation = "getLogs",
           .says = "What a task wrote: by default the last 256 KiB",
           .parameters = {{"id", "1041, or 1041.7 of an array", text()},
                          {"rank", "of the task; default: 0", count},
                          {"attempt", "default: the latest", count},
                          {"offset", "first byte wanted", count},
                          {"tail", "the last so many lines", count},
                          {"follow", "all of it, until the job ends", flag()}},
           .answer = {"the output", "text/plain", text()},
           .problems = {404, 409},
           .handle = get_logs}};
}

}  // namespace headroom::server::api

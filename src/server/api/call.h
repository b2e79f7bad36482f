// Call: one request on its way through the API: who asks for what, and how it is answered. A
// handler takes it to where the answer is:
//
//   call->read(…)     a reader's thread: lists, history, usage
//   call->look(…)     the control thread: what is now
//   call->change(…)   the control thread: what shall be; answered when it is durable, and audited,
//                     whether it was allowed or refused
//
// An outcome is a response or a problem. Problems have the words of whoever refused.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/value.h"
#include "server/access/may.h"
#include "server/access/principal.h"
#include "server/api/readers.h"
#include "server/api/route.h"
#include "server/control_thread.h"
#include "server/net/http.h"
#include "server/net/problem.h"

namespace headroom::server::api {

using Outcome = tl::expected<net::Response, net::Problem>;

net::Response json(const formats::Value& document, int status = 200);
net::Problem problem(int status, std::string detail);
net::Problem not_found(const std::string& what);

// What is behind the API.
struct Services;

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Services& services, const Route& route, net::Request request, net::Reply reply,
       access::Principal who, std::vector<std::string> values);

  Services& services() const { return services_; }
  const Route& route() const { return route_; }
  const net::Request& request() const { return request_; }
  const access::Principal& who() const { return who_; }

  // Of the path, by position.
  const std::string& value(std::size_t i) const { return values_[i]; }
  // Of the query; "" when it is not there.
  std::string query(const std::string& name) const;
  bool is_dry_run() const { return query("dryRun") == "true"; }
  // The page size that was asked for; the routes' schema has checked it.
  std::int64_t limit() const;

  void answer(const Outcome& outcome);
  void refuse(const net::Problem& problem);
  net::Reply& reply() { return reply_; }

  // Answers itself.
  void read(std::function<void(store::Reader&)> question);
  // Answers itself.
  void look(std::function<void(const Change&)> question);

  // `object`: "job 1041", for the audit.
  void change(std::string object, std::function<Outcome(Change&)> work);

  // A problem (403) unless the caller may do this at the queue. `owner`: of the job; "" of none.
  std::optional<net::Problem> forbidden(access::Action action, const std::string& queue,
                                        const std::string& owner = "") const;

 private:
  Outcome once(Change& change, const std::function<Outcome(Change&)>& work);
  void audit(Change& change, const std::string& object, const Outcome& outcome);

  Services& services_;
  const Route& route_;
  net::Request request_;
  net::Reply reply_;
  access::Principal who_;
  std::vector<std::string> values_;
};

}  // namespace headroom::server::api

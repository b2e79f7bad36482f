// Publisher: what the records say, as events of the stream. A job's events say its id, queue, user
// and what happened; who wants more asks for the job.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/record.h"
#include "schedule/state.h"
#include "server/net/event_hub.h"

namespace headroom::server {

class Publisher {
 public:
  Publisher(const schedule::State& state, net::EventHub& hub);

  // To be called after the record was applied.
  void publish(const model::Record& record);

 private:
  struct Whose {
    std::string queue;
    std::string user;
  };
  std::vector<net::Event> events_of(const model::Record& record);
  net::Event job_event(model::JobId id, const char* what);
  net::Event node_event(model::NodeId id, const char* what);

  const schedule::State& state_;
  net::EventHub& hub_;
  std::unordered_map<std::int64_t, Whose> jobs_;  // by number, while they live
};

}  // namespace headroom::server

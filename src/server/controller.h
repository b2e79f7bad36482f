// Controller: the heart of the server. It owns the state; nothing else changes it. One thread calls
// it, it knows no sockets, files or threads, and the clock, the store and the engine stand behind
// seams: the same calls give the same records, and the whole of it runs in virtual time.
//
// A step
//   1. Requests and what the engine reports become events: each is checked, applied in memory and
//      put into one batch. A request that is refused leaves nothing behind.
//   2. The batch is made durable in one commit; then the requests are answered. A commit that fails
//      ends the process, so that nobody hears of what may not be there, and what was applied in
//      memory alone goes with it.
//   3. A cycle is decided where something changed; its decisions are made durable, and only then
//      does the engine hear of them. After a cycle that took long the next one waits for as long,
//      so that requests are answered quickly however many jobs wait.
//
// After a restart the engine's list is compared with the state before anything new is started:
// what the journal started and the engine never saw is launched again under the same id, and what
// the engine runs without a record is stopped.
//
// Cost: a step is O(requests + reports) and a scheduling cycle (schedule/scheduler.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/record.h"
#include "model/site.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "schedule/state.h"
#include "server/clock.h"
#include "simulate/durations.h"
#include "store/store.h"

namespace headroom::server {

struct Ports {
  store::Store& store;
  engine::Engine& engine;
  const Clock& clock;
};

struct ControllerOptions {
  std::string policy = "headroom";
  std::string placement = "headroom_learned";
  schedule::PolicySettings policy_settings;
  std::uint64_t snapshot_every = 100'000;  // records
  base::Duration stop_grace{30'000};       // between TERM and KILL
};

// Where the first state comes from, when the store is new.
struct FirstSite {
  std::string text;  // of cluster.yaml
  std::shared_ptr<const model::Cluster> cluster;
  std::vector<model::Queue> queues;
  std::vector<model::ReservationChanged> windows;
  schedule::Settings settings;
};

class Controller;

// What a request works with. Good within the call only.
class Change {
 public:
  const schedule::State& state() const;
  base::Time now() const;
  std::uint64_t sequence() const;  // of the last record

  // The number that the next submission gets.
  std::int64_t next_job() const;

  // Why a waiting job did not start in the last cycle.
  schedule::Reason reason(schedule::JobSlot job) const;

  // Checks and applies one event. An error: refused, nothing changed.
  base::Result<void> record(const model::Event& event);

  // Several, all or none. O(state): they are tried on a copy first.
  base::Result<void> record_all(const std::vector<model::Event>& events);

  // The same, tried only.
  base::Result<void> try_all(const std::vector<model::Event>& events) const;

  // Stops a job that runs; it goes back to waiting with its age.
  base::Result<void> requeue(model::JobId job);

  // What is stored beside the records: audit, tokens, roles, answers, cluster.yaml.
  store::Batch& also();

 private:
  friend class Controller;
  explicit Change(Controller& controller) : c_(controller) {}
  Controller& c_;
};

// Called when all that the request did is durable.
using Answer = std::function<void()>;
using Request = std::function<Answer(Change&)>;

class Controller {
 public:
  // Reads the store. `first` is used when it is new; nullptr then is an error. Errors: of the
  // store, a record that does not fit the state, an unknown policy or placement.
  static base::Result<std::unique_ptr<Controller>> open(Ports ports,
                                                        const ControllerOptions& options,
                                                        const FirstSite* first);

  // Does all that is to be done now. Returns when time alone wants another step. An error: the
  // process must end.
  base::Result<base::Time> step(std::vector<Request> requests);

  // Makes the state durable as a snapshot, so that the next start is quick. Jobs go on.
  base::Result<void> shut_down();

  const schedule::State& state() const { return *state_; }
  std::uint64_t sequence() const { return sequence_; }
  base::Time time() { return timeline_.now(); }

  // Told of every record that is durable, in order.
  void on_record(std::function<void(const model::Record&)> watch) { watch_ = std::move(watch); }

  // Jobs that ended before this process began teach it how long jobs run.
  void learn(const model::Job& job, base::Duration ran) { durations_.ended(job, ran); }

 private:
  friend class Change;

  Controller(Ports ports, const ControllerOptions& options, std::unique_ptr<schedule::State> state,
             std::uint64_t sequence);

  base::Result<void> recover();
  base::Result<void> record(model::Event event);
  void append(std::variant<model::Event, model::Decision> what);
  base::Result<void> commit();

  // Reports of the engine become events.
  void take_reports();
  void take(const engine::Report& report);
  void ended(const engine::Report& report, schedule::JobSlot slot);

  base::Result<base::Time> decide();
  void note(const model::Decision& decision);  // what the engine is to hear of it
  void tell_engine();
  void launch(const model::AllocationId& id);

  model::AllocationId allocation_of(schedule::JobSlot slot) const;
  std::vector<model::AllocationId> allocations_on(model::NodeId node) const;

  Ports ports_;
  ControllerOptions options_;
  std::unique_ptr<schedule::State> state_;
  std::unique_ptr<schedule::Scheduler> scheduler_;
  Timeline timeline_;
  simulate::Durations durations_;
  std::function<void(const model::Record&)> watch_;

  std::uint64_t sequence_ = 0;
  std::uint64_t snapshot_at_ = 0;
  std::int64_t next_job_ = 1;
  base::Time now_;  // of the step
  store::Batch batch_;
  bool changed_ = true;  // since the last cycle
  base::Time wakeup_ = schedule::kNever;
  base::Duration next_cycle_{0};         // monotonic: no cycle before it
  std::vector<engine::Report> refused_;  // launches that the engine refused, for the next step
  std::vector<model::AllocationId> to_launch_;
  std::vector<std::pair<model::AllocationId, bool>> to_stop_;  // at once?
  std::vector<model::AllocationId> to_forget_;
};

}  // namespace headroom::server

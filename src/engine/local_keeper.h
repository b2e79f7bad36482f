// LocalKeeper: the local engine's thread. It writes plans and orders, has supervisors started, and
// reads what they report. It waits for: work that is handed to it, the ring (a supervisor has
// reported), the end of a supervisor, the end of the hub, and the time to ask again.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/hub_process.h"
#include "engine/local_cgroup.h"
#include "engine/local_devices.h"
#include "engine/local_engine.h"
#include "engine/local_folder.h"
#include "engine/local_ledger.h"

namespace headroom::engine {

// One of them.
struct LocalWork {
  std::optional<Launch> launch;
  std::optional<Stop> stop;
  std::optional<model::AllocationId> forget;
};

// An allocation that an earlier engine left.
struct LocalFound {
  model::AllocationId id;
  std::uint64_t epoch = 0;
};

class LocalKeeper {
 public:
  // `tell` gets each report, from catch_up() and run().
  LocalKeeper(const LocalOptions& options, std::function<void(const Report&)> tell);
  ~LocalKeeper();

  // Before the thread: takes the folder, and says what is in it; then what is reported there.
  base::Result<std::vector<LocalFound>> open();
  void catch_up();
  std::uint64_t epoch() const { return epoch_; }
  const CgroupBases& groups() const { return groups_; }
  const LocalDevices& devices() const { return devices_; }
  bool was_started_before(const model::AllocationId& id) const { return exists(folder_.logs(id)); }

  // From any thread.
  void hand_over(LocalWork work);
  void end();

  void run();

 private:
  struct Watch {
    model::AllocationId id;
    std::uint64_t epoch = 0;
    std::size_t read = 0;  // bytes of its reports
    Fd process;            // its supervisor
    bool begun = false;
    bool ended = false;
    bool ordered = false;
    std::int64_t ask_at = 0;   // of one that is wanted: when to ask for a supervisor (again)
    std::int64_t fail_at = 0;  // when to give up, if none has begun
  };
  using Watches = std::map<std::string, Watch>;  // by the allocation's name

  base::Result<void> lose_what_a_power_cut_took();
  void at(const char* step) const {
    if (options_.step) options_.step(step);
  }
  void do_work(std::vector<LocalWork> work);
  void launch(std::vector<Launch> launches);
  base::Result<void> write_plan(const Launch& launch);
  void launch_failed(Watches::value_type& entry, const std::string& why);
  void stop(const Stop& stop);
  void forget(const model::AllocationId& id);
  void take_ring();
  void read_reports(Watches::value_type& entry);
  void meet_supervisor(Watches::value_type& entry, std::int64_t pid);
  void want_supervisor(Watches::value_type& entry);
  void ask_for_supervisors();
  void give_up(Watches::value_type& entry);
  void keep_hub();
  void note_epoch(std::uint64_t epoch);
  void watch_descriptor(int fd) const;

  LocalOptions options_;
  LocalFolder folder_;
  std::function<void(const Report&)> tell_;
  LocalDevices devices_;
  CgroupBases groups_;
  LocalLedger ledger_;
  Fd lock_;
  Fd ring_;
  Fd wake_;
  Fd waits_;  // epoll
  HubProcess hub_;
  std::int64_t hub_again_at_ = 0;
  std::uint64_t epoch_ = 0;
  Watches watches_;
  std::set<std::string> wanted_;           // allocations that have no supervisor (yet)
  std::map<int, std::string> by_process_;  // descriptor of a supervisor -> its allocation

  std::mutex mutex_;
  std::vector<LocalWork> work_;
  std::atomic<bool> ending_{false};
};

}  // namespace headroom::engine

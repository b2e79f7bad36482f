#include "engine/local_engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <thread>

#include "engine/local_keeper.h"
#include "engine/local_plan.h"

namespace headroom::engine {

using base::fail;
using base::Result;

namespace {

class LocalEngine : public Engine {
 public:
  explicit LocalEngine(const LocalOptions& options)
      : keeper_(options, [this](const Report& report) { take(report); }) {}

  ~LocalEngine() override {
    keeper_.end();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> open() {
    const auto found = keeper_.open();
    if (!found) return tl::unexpected(found.error());
    epoch_ = keeper_.epoch();
    for (const LocalFound& one : *found) held_[one.id] = {one.epoch, false, false};
    keeper_.catch_up();
    thread_ = std::thread([this] { keeper_.run(); });
    return {};
  }

  Result<void> launch(const Launch& launch) override {
    const std::lock_guard guard(mutex_);
    if (auto checked = check_epoch(launch.epoch); !checked) return checked;
    if (held_.contains(launch.id)) return {};
    if (keeper_.was_started_before(launch.id))
      return fail(fmt::format("job {}, attempt {}: it was started before", job_name(launch.id.job),
                              launch.id.attempt));
    held_[launch.id] = {launch.epoch, false, false};
    keeper_.hand_over({.launch = launch});
    return {};
  }

  Result<void> stop(const Stop& stop) override {
    const std::lock_guard guard(mutex_);
    if (auto checked = check_epoch(stop.epoch); !checked) return checked;
    const auto held = held_.find(stop.id);
    if (held == held_.end() || held->second.ended) return {};
    keeper_.hand_over({.stop = stop});
    return {};
  }

  Result<std::vector<Running>> list() override {
    const std::lock_guard guard(mutex_);
    std::vector<Running> running;
    for (const auto& [id, held] : held_) {
      if (!held.ended) running.push_back({id, held.epoch, held.started});
    }
    return running;
  }

  std::vector<Report> reports() override {
    const std::lock_guard guard(mutex_);
    return std::exchange(reports_, {});
  }

  void forget(const model::AllocationId& id) override {
    const std::lock_guard guard(mutex_);
    const auto held = held_.find(id);
    if (held == held_.end() || !held->second.ended) return;
    held_.erase(held);
    keeper_.hand_over({.forget = id});
  }

  void on_report(std::function<void()> wake) override {
    const std::lock_guard guard(wake_mutex_);
    wake_ = std::move(wake);
    bool any = false;
    {
      const std::lock_guard reports_guard(mutex_);
      any = !reports_.empty();
    }
    if (any && wake_) wake_();
  }

  std::vector<std::string> limitations() const override {
    std::vector<std::string> lines;
    if (keeper_.groups().cpu.empty())
      lines.emplace_back("CPU limits are not enforced: no control group can be made here");
    if (keeper_.groups().memory.empty())
      lines.emplace_back("memory limits are not enforced: no control group can be made here");
    if (geteuid() != 0)
      lines.emplace_back("jobs run as the server's user only: the server is not root");
    if (!keeper_.devices().found())
      lines.push_back(
          fmt::format("GPUs are what cluster.yaml declares: {}", keeper_.devices().why_not()));
    return lines;
  }

 private:
  struct Held {
    std::uint64_t epoch = 0;
    bool started = false;
    bool ended = false;
  };

  Result<void> check_epoch(std::uint64_t epoch) {
    if (epoch < epoch_)
      return fail(fmt::format("an order of epoch {}: a server of epoch {} gave orders since", epoch,
                              epoch_));
    epoch_ = epoch;
    return {};
  }

  void take(const Report& report) {
    {
      const std::lock_guard guard(mutex_);
      Held& held = held_[report.id];
      held.started |= report.kind == Report::Kind::kStarted;
      held.ended |= is_end(report.kind);
      reports_.push_back(report);
    }
    const std::lock_guard guard(wake_mutex_);
    if (wake_) wake_();
  }

  std::mutex mutex_;
  std::uint64_t epoch_ = 0;
  std::map<model::AllocationId, Held> held_;
  std::vector<Report> reports_;
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  LocalKeeper keeper_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_local_engine(LocalOptions options) {
  auto engine = std::make_unique<LocalEngine>(options);
  if (auto opened = engine->open(); !opened) return tl::unexpected(opened.error());
  return engine;
}

}  // namespace headroom::engine

// A store, an engine and a clock in memory, for tests: virtual time, and the process may die at any
// commit or order. What a real disk does to SQLite's files is tested beside the store.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/engine.h"
#include "server/clock.h"
#include "store/store.h"

namespace headroom::server {

class SimulatedClock : public Clock {
 public:
  base::Time wall() const override { return wall_; }
  base::Duration monotonic() const override { return monotonic_; }
  void pass(base::Duration time) {
    wall_ = wall_ + time;
    monotonic_ = monotonic_ + time;
  }
  void set_wall(base::Time time) { wall_ = time; }

 private:
  base::Time wall_{1'000'000'000'000};
  base::Duration monotonic_{0};
};

// What is on disk outlives the process; a store is opened on it.
struct SimulatedDisk {
  std::vector<model::Record> records;
  std::optional<store::Snapshot> snapshot;
  std::vector<store::AuditEntry> audit;
  std::vector<store::Token> tokens;
  std::vector<store::RoleBinding> roles;
  std::vector<store::Answer> answers;
  std::string site;
  std::uint64_t epoch = 0;
  std::int64_t commits_left = -1;    // then a commit fails; -1: never
  bool fails_after_writing = false;  // that commit is on disk all the same
};

class SimulatedStore : public store::Store {
 public:
  explicit SimulatedStore(SimulatedDisk& disk) : disk_(disk), epoch_(++disk.epoch) {}

  std::uint64_t epoch() const override { return epoch_; }
  base::Result<void> commit(const store::Batch& batch) override {
    if (epoch_ != disk_.epoch) return base::fail("another server writes here");
    const bool fails = disk_.commits_left == 0;
    if (disk_.commits_left > 0) --disk_.commits_left;
    if (!fails || disk_.fails_after_writing) write(batch);
    return fails ? base::Result<void>(base::fail("disk: fsync failed")) : base::Result<void>{};
  }
  base::Result<std::optional<store::Snapshot>> snapshot() override { return disk_.snapshot; }
  base::Result<void> records(
      std::uint64_t sequence,
      const std::function<base::Result<void>(const model::Record&)>& take) override {
    for (const model::Record& record : disk_.records) {
      if (record.sequence <= sequence) continue;
      if (auto ok = take(record); !ok) return ok;
    }
    return {};
  }
  base::Result<std::string> site() override { return disk_.site; }
  base::Result<std::vector<store::Token>> tokens() override { return disk_.tokens; }
  base::Result<std::vector<store::RoleBinding>> roles() override { return disk_.roles; }
  base::Result<std::optional<store::Answer>> answer(const std::string& user,
                                                    const std::string& key) override {
    for (const store::Answer& one : disk_.answers) {
      if (one.user == user && one.key == key) return one;
    }
    return std::nullopt;
  }
  base::Result<void> retain(base::Time) override { return {}; }

 private:
  void write(const store::Batch& batch) {
    for (const model::Record& record : batch.records) disk_.records.push_back(record);
    for (const store::AuditEntry& one : batch.audit) disk_.audit.push_back(one);
    for (const store::Answer& one : batch.answers) disk_.answers.push_back(one);
    for (const store::Token& one : batch.tokens) {
      std::erase_if(disk_.tokens, [&](const store::Token& old) { return old.id == one.id; });
      disk_.tokens.push_back(one);
    }
    for (const store::RoleBinding& one : batch.unbound) std::erase(disk_.roles, one);
    for (const store::RoleBinding& one : batch.bound) disk_.roles.push_back(one);
    if (batch.snapshot) disk_.snapshot = batch.snapshot;
    if (batch.site) disk_.site = *batch.site;
  }

  SimulatedDisk& disk_;
  std::uint64_t epoch_;
};

// The processes of a machine: they outlive the server. Each job runs for as many seconds as the
// number in its `run`, and exits with 0; "fail" exits with 1, "refuse" cannot be launched.
struct SimulatedMachine {
  struct Process {
    base::Time ends;
    bool started = false;
    bool stopping = false;
    std::uint64_t epoch = 0;
    std::optional<engine::Report> end;  // kept until it is forgotten
    int launches = 0;                   // that had an effect: 1, or it ran twice
  };
  std::map<model::AllocationId, Process> processes;
  std::map<model::AllocationId, int> starts;  // of all time
  std::uint64_t epoch = 0;
};

class SimulatedEngine : public engine::Engine {
 public:
  // `faulty`: reports come late and twice.
  SimulatedEngine(SimulatedMachine& machine, const Clock& clock, base::Rng rng, bool faulty)
      : machine_(machine), clock_(clock), rng_(rng), faulty_(faulty) {
    for (auto& [id, process] : machine_.processes) process.started &= !faulty;  // told again
  }

  base::Result<void> launch(const engine::Launch& order) override {
    if (order.epoch < machine_.epoch) return base::fail("a newer server gives the orders");
    machine_.epoch = order.epoch;
    if (order.job.run == "refuse") return base::fail("workdir: there is no such folder");
    auto [at, fresh] = machine_.processes.try_emplace(order.id);
    if (!fresh) return {};
    ++machine_.starts[order.id];
    at->second.epoch = order.epoch;
    const bool fails = order.job.run == "fail";
    const std::int64_t seconds = fails ? 1 : std::stoll(order.job.run);
    at->second.ends = clock_.wall() + base::Duration{seconds * 1000};
    if (fails) failing_.push_back(order.id);
    return {};
  }
  base::Result<void> stop(const engine::Stop& order) override {
    if (order.epoch < machine_.epoch) return base::fail("a newer server gives the orders");
    machine_.epoch = order.epoch;
    const auto at = machine_.processes.find(order.id);
    if (at == machine_.processes.end() || at->second.end) return {};
    at->second.stopping = true;
    at->second.ends = std::min(at->second.ends, clock_.wall() + base::Duration{500});
    return {};
  }
  base::Result<std::vector<engine::Running>> list() override {
    std::vector<engine::Running> running;
    for (const auto& [id, process] : machine_.processes) {
      if (!process.end) running.push_back({id, process.epoch, process.started});
    }
    return running;
  }
  std::vector<engine::Report> reports() override {
    std::vector<engine::Report> told = std::exchange(again_, {});
    for (auto& [id, process] : machine_.processes) {
      if (faulty_ && rng_.chance(1, 3)) continue;  // later
      if (!process.started) {
        process.started = true;
        tell(told, {.kind = engine::Report::Kind::kStarted, .id = id, .epoch = process.epoch});
      }
      if (!process.end && process.ends <= clock_.wall()) {
        const bool fails = std::find(failing_.begin(), failing_.end(), id) != failing_.end();
        process.end = engine::Report{.kind = engine::Report::Kind::kEnded,
                                     .id = id,
                                     .epoch = process.epoch,
                                     .exit_code = fails ? 1 : 0,
                                     .signal = process.stopping ? 15 : 0,
                                     .stopped = process.stopping};
        told_end_.erase(id);
      }
      if (process.end && !told_end_[id]) {
        told_end_[id] = true;
        tell(told, *process.end);
      }
    }
    return told;
  }
  void forget(const model::AllocationId& id) override {
    machine_.processes.erase(id);
    told_end_.erase(id);
  }
  void on_report(std::function<void()>) override {}
  std::vector<std::string> limitations() const override { return {}; }

 private:
  void tell(std::vector<engine::Report>& told, const engine::Report& report) {
    told.push_back(report);
    if (faulty_ && rng_.chance(1, 4)) again_.push_back(report);
  }

  SimulatedMachine& machine_;
  const Clock& clock_;
  base::Rng rng_;
  bool faulty_;
  std::vector<model::AllocationId> failing_;
  std::map<model::AllocationId, bool> told_end_;  // by this process
  std::vector<engine::Report> again_;
};

}  // namespace headroom::server

#include "tests/simtest/faults.h"

namespace headroom::simtest {

namespace {

using MaybeEvent = std::optional<model::Event>;

bool waits(const BookJob& job) {
  return job.status == Status::kWaiting || job.status == Status::kHeld;
}

}  // namespace

model::NodeId Faults::some_node() {
  return model::NodeId{rng_.below(book_.site().cluster->nodes.size())};
}

base::Duration Faults::minutes(std::int64_t low, std::int64_t high) {
  return base::Duration{rng_.between(low, high) * 60'000};
}

const BookJob* Faults::some_job(const std::function<bool(const BookJob&)>& suitable) {
  std::vector<const BookJob*> all;
  for (const BookJob& job : book_.jobs()) {
    if (suitable(job)) all.push_back(&job);
  }
  return all.empty() ? nullptr : all[rng_.below(all.size())];
}

void Faults::plan(base::Time until) {
  const auto when = [&] { return base::Time{rng_.between(0, until.value())}; };
  for (std::int64_t left = rng_.between(2, 8); left > 0; --left) fail_node(when());
  for (std::int64_t left = rng_.between(0, 4); left > 0; --left) drain_node(when());
  for (int left = static_cast<int>(rng_.between(0, 3)); left > 0; --left) window(when(), left);
  for (std::int64_t left = rng_.between(1, 4); left > 0; --left) hold_job(when());
  for (std::int64_t left = rng_.between(2, 6); left > 0; --left) cancel_job(when());
  for (std::int64_t left = rng_.between(1, 4); left > 0; --left) change_job(when());
  if (rng_.chance(2, 3)) plan_changes(until);
}

void Faults::fail_node(base::Time when) {
  ++planned_;
  at_(when, [=, this]() -> MaybeEvent {
    const model::NodeId node = some_node();
    if (book_.failed(node) || book_.removed(node)) return {};
    at_(when + minutes(1, 180), [=, this]() -> MaybeEvent {
      if (book_.removed(node)) return {};
      return model::NodeRecovered{node};
    });
    return model::NodeFailed{node, "random"};
  });
}

void Faults::drain_node(base::Time when) {
  ++planned_;
  at_(when, [=, this]() -> MaybeEvent {
    const model::NodeId node = some_node();
    if (book_.drained(node)) return {};
    end_drain(node, when + minutes(10, 300));
    return model::NodeDrained{node, "random", true};
  });
}

void Faults::end_drain(model::NodeId node, base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    if (book_.removed(node)) return {};
    return model::NodeDrained{node, "", false};
  });
}

// Maintenance, or nodes kept for a queue; announced some time before. Some are called off.
void Faults::window(base::Time when, int number) {
  ++planned_;
  const std::string name = "window " + std::to_string(number);
  const bool maintenance = rng_.chance(1, 2);
  at_(when, [=, this]() -> MaybeEvent {
    model::ReservationChanged event;
    event.window.name = name;
    event.maintenance = maintenance;
    if (!maintenance) {
      event.window.queue = book_.site().leaves[rng_.below(book_.site().leaves.size())];
    }
    event.window.start = when + minutes(0, 120);
    event.window.end = event.window.start + minutes(10, 240);
    for (std::int64_t left = rng_.between(1, 8); left > 0; --left) {
      if (const model::NodeId node = some_node(); !book_.removed(node)) event.nodes.push_back(node);
    }
    return event;
  });
  if (!rng_.chance(1, 3)) return;
  at_(when + minutes(1, 200), [=, this]() -> MaybeEvent {
    model::ReservationChanged off = book_.windows().at(name);
    off.removed = true;
    return off;
  });
}

void Faults::hold_job(base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    const BookJob* job =
        some_job([](const BookJob& one) { return one.status == Status::kWaiting; });
    if (job == nullptr) return {};
    return model::JobHeld{job->id, true};
  });
}

void Faults::cancel_job(base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    const bool running = rng_.chance(1, 2);
    const BookJob* job = some_job(
        [&](const BookJob& one) { return running ? one.status == Status::kRunning : waits(one); });
    if (job == nullptr) return {};
    return model::JobCancelled{job->id, "ana"};
  });
}

// A waiting job wants something else, but what it depends on stays.
void Faults::change_job(base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    const BookJob* job =
        some_job([](const BookJob& one) { return waits(one) && one.id.element < 0; });
    if (job == nullptr) return {};
    model::JobChanged event{job->id, wishes_.next(job->id.number, book_.now(), {}).job};
    event.job.array.reset();
    event.job.hold = job->job->hold;
    event.job.after = job->job->after;
    if (rng_.chance(1, 2)) event.job.groups = job->job->groups;  // only its times
    if (event.job.groups == job->job->groups) {
      event.job.topology = job->job->topology;
      event.job.gang = job->job->gang;
      event.job.elastic = job->job->elastic;
    }
    return event;
  });
}

model::Event Faults::refused() {
  const std::int64_t unknown = 1'000'000;
  const std::size_t nodes = book_.site().cluster->nodes.size();
  const BookJob* job = some_job([](const BookJob& one) { return one.status != Status::kEnded; });
  const BookJob* runs = some_job([](const BookJob& one) { return one.holds(); });
  if (rng_.chance(1, 4)) return refused_change();
  switch (rng_.below(12)) {
    case 0:
      return model::JobCancelled{{unknown, -1}, "ana"};
    case 1:
      return model::NodeFailed{model::NodeId{nodes + rng_.below(3)}, ""};
    case 2: {
      const model::NodeId node = some_node();
      if (book_.failed(node) || book_.removed(node)) return model::NodeFailed{node, ""};
      return model::NodeRecovered{node};
    }
    case 3:
      if (job != nullptr) return model::JobHeld{job->id, job->status == Status::kHeld};
      break;
    case 4:
      if (runs != nullptr) return model::JobHeld{runs->id, true};
      break;
    case 5:
      if (runs != nullptr) {
        return model::AllocationEnded{{runs->id, runs->attempt + (rng_.chance(1, 2) ? 1 : -1)}};
      }
      break;
    case 6:
      if (runs != nullptr) return model::TaskEnded{{runs->id, runs->attempt}, 0, 1'000};
      break;
    case 7:
      if (job != nullptr && !job->holds()) return model::AllocationLost{{job->id, job->attempt}};
      break;
    case 8:
      if (runs != nullptr && runs->id.element < 0) {
        return model::JobChanged{runs->id, wishes_.next(runs->id.number, book_.now(), {}).job};
      }
      break;
    case 9:
      // The number of a job that there is or was, array or not.
      if (!book_.jobs().empty()) {
        const std::int64_t number = book_.jobs()[rng_.below(book_.jobs().size())].id.number;
        return wishes_.next(number, book_.now(), {});
      }
      break;
    case 10: {
      model::ReservationChanged window;
      window.window = {.name = "backwards",
                       .nodes = "",
                       .start = base::Time{10},
                       .end = base::Time{10},
                       .queue = ""};
      window.maintenance = true;
      return window;
    }
    default:
      break;
  }
  model::JobSubmitted wish = wishes_.next(unknown, book_.now(), {});
  switch (rng_.below(6)) {
    case 0:
      wish.job.queue = "nowhere";
      break;
    case 1:
      wish.job.groups.clear();
      break;
    case 2:
      wish.job.gang = wish.job.tasks() + 1;
      break;
    case 3:
      wish.job.after.push_back({model::Dependency::Kind::kAny, unknown});
      break;
    case 4:
      wish.job.after.push_back({model::Dependency::Kind::kOk, unknown + 1});
      break;
    default:
      wish.id.number = -1;
  }
  return wish;
}

}  // namespace headroom::simtest

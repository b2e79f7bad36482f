#include "engine/local_keeper.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>

#include "engine/local_launch.h"
#include "engine/local_plan.h"
#include "engine/report_file.h"

namespace headroom::engine {

using base::fail;
using base::Result;

namespace {

// A supervisor that did not come (a fork failed, the hub had ended) is asked for again.
constexpr std::int64_t kAskAgainMs = 1000;
constexpr std::int64_t kHubAgainMs = 1000;
constexpr int kLockTries = 100;
constexpr useconds_t kLockAgainUs = 20'000;

// One folder, one name, as long as it exists.
std::string name_of_folder(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return "0";
  return fmt::format("{:x}-{:x}", about.st_dev, about.st_ino);
}

}  // namespace

LocalKeeper::LocalKeeper(const LocalOptions& options, std::function<void(const Report&)> tell)
    : options_(options),
      folder_(options.folder),
      tell_(std::move(tell)),
      devices_(options.nvml),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      waits_(epoll_create1(EPOLL_CLOEXEC)) {}

LocalKeeper::~LocalKeeper() {
  if (lock_.valid()) leave_cgroups(groups_);
}

void LocalKeeper::watch_descriptor(int fd) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(waits_.get(), EPOLL_CTL_ADD, fd, &event);
}

Result<std::vector<LocalFound>> LocalKeeper::open() {
  if (auto made = make_folder(folder_.root()); !made) return tl::unexpected(made.error());
  auto lock = try_lock(folder_.at("lock"));
  // A server that was killed while it started its hub holds it until the hub has come up.
  for (int tries = 0; lock && !lock->valid() && tries < kLockTries; ++tries) {
    usleep(kLockAgainUs);
    lock = try_lock(folder_.at("lock"));
  }
  if (!lock) return tl::unexpected(lock.error());
  if (!lock->valid())
    return fail(fmt::format("another server uses {}: end it first", folder_.root()));
  lock_ = std::move(*lock);
  for (const char* left : {"new", "trash"}) remove_tree(folder_.at(left));
  if (auto made = folder_.make(); !made) return tl::unexpected(made.error());
  if (const auto text = read_file(folder_.at("epoch")))
    std::from_chars(text->data(), text->data() + text->size(), epoch_);
  if (options_.cgroups) groups_ = find_cgroups(name_of_folder(folder_.root()));

  ring_ = Fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!ring_.valid() ||
      inotify_add_watch(ring_.get(), folder_.at("ring").c_str(), IN_CLOSE_WRITE) < 0)
    return tl::unexpected(system_error("watch " + folder_.at("ring")));
  if (auto started = hub_.start(options_.hub); !started) return tl::unexpected(started.error());
  for (int fd : {wake_.get(), ring_.get(), hub_.process()}) watch_descriptor(fd);

  if (auto opened = ledger_.open(folder_.at("launched")); !opened)
    return tl::unexpected(opened.error());
  if (auto written = lose_what_a_power_cut_took(); !written) return tl::unexpected(written.error());
  const auto names = names_in(folder_.live());
  if (!names) return tl::unexpected(names.error());
  std::vector<LocalFound> found;
  for (const std::string& name : *names) {
    const auto id = parse_allocation_name(name);
    if (!id) continue;
    auto& entry = *watches_.try_emplace(name).first;
    Watch& watch = entry.second;
    watch.id = *id;
    const auto text = read_file(folder_.live(name) + "/plan");
    if (const auto plan = text ? parse_plan(*text) : fail("")) watch.epoch = plan->epoch;
    watch.ordered = exists(folder_.live(name) + "/order");
    want_supervisor(entry);
    found.push_back({*id, watch.epoch});
  }
  const auto rung = names_in(folder_.at("ring"));
  for (const std::string& name : rung ? *rung : std::vector<std::string>{}) {
    if (!watches_.contains(name)) unlink(folder_.ring(name).c_str());
  }
  return found;
}

// Launched before the machine was started anew, and its plan is not whole: it may have run.
Result<void> LocalKeeper::lose_what_a_power_cut_took() {
  for (const auto& [name, launched] : ledger_.entries()) {
    const auto id = parse_allocation_name(name);
    if (!id || launched.boot == boot_id()) continue;
    const std::string own = folder_.live(name);
    const auto text = read_file(own + "/plan");
    if (text && parse_plan(*text)) continue;  // a supervisor sees to it
    if (auto made = make_folder(own); !made) return made;
    auto reports = ReportFile::open(own + "/reports", folder_.ring(name), *id);
    if (!reports) {  // not whole either
      unlink((own + "/reports").c_str());
      reports = ReportFile::open(own + "/reports", folder_.ring(name), *id);
      if (!reports) return tl::unexpected(reports.error());
    }
    if (reports->ended()) continue;
    Report lost;
    lost.kind = Report::Kind::kLost;
    lost.id = *id;
    lost.epoch = launched.epoch;
    lost.detail = "the machine was started anew";
    if (auto written = reports->try_append({.report = lost}); !written) return written;
  }
  return {};
}

void LocalKeeper::hand_over(LocalWork work) {
  {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
  }
  eventfd_write(wake_.get(), 1);
}

void LocalKeeper::end() {
  ending_ = true;
  eventfd_write(wake_.get(), 1);
}

void LocalKeeper::want_supervisor(Watches::value_type& entry) {
  entry.second.ask_at = monotonic_ms();
  entry.second.fail_at = entry.second.ask_at + options_.launch_time.value();
  wanted_.insert(entry.first);
}

void LocalKeeper::note_epoch(std::uint64_t epoch) {
  if (epoch <= epoch_) return;
  epoch_ = epoch;
  // If it cannot be written, the lock of the folder still keeps a second server out.
  (void)replace_file(folder_.at("epoch"), fmt::format("{}\n", epoch), true);
}

Result<void> LocalKeeper::write_plan(const Launch& launch) {
  const auto plan = make_plan(launch, options_, folder_, devices_, groups_);
  if (!plan) return tl::unexpected(plan.error());
  const std::string beside = folder_.at("new/" + allocation_name(launch.id));
  at("new");
  if (auto made = make_folder(beside); !made) return made;
  at("plan");
  return replace_file(beside + "/plan", print_plan(*plan), false);
}

void LocalKeeper::launch_failed(Watches::value_type& entry, const std::string& why) {
  Watch& watch = entry.second;
  watch.ended = true;
  wanted_.erase(entry.first);
  Report report;
  report.kind = Report::Kind::kLaunchFailed;
  report.id = watch.id;
  report.epoch = watch.epoch;
  report.detail = why;
  tell_(report);
}

// One flush of the ledger for all.
void LocalKeeper::launch(std::vector<Launch> launches) {
  std::vector<std::pair<std::string, LocalLedger::Entry>> ready;
  for (const Launch& one : launches) {
    note_epoch(one.epoch);
    auto& entry = *watches_.try_emplace(allocation_name(one.id)).first;
    entry.second.id = one.id;
    entry.second.epoch = one.epoch;
    if (auto written = write_plan(one); !written) {
      launch_failed(entry, written.error().message);
    } else {
      ready.push_back({entry.first, {one.epoch, boot_id()}});
    }
  }
  if (ready.empty()) return;
  at("ledger");
  const auto durable = ledger_.add(ready);
  for (const auto& [name, launched] : ready) {
    auto& entry = *watches_.find(name);
    if (!durable) {
      remove_tree(folder_.at("new/" + name));
      launch_failed(entry, durable.error().message);
      continue;
    }
    at("rename");
    if (rename(folder_.at("new/" + name).c_str(), folder_.live(name).c_str()) == 0) {
      want_supervisor(entry);
    } else {
      launch_failed(entry, system_error("rename to " + folder_.live(name)).message);
    }
  }
}

void LocalKeeper::stop(const Stop& stop) {
  note_epoch(stop.epoch);
  const auto entry = watches_.find(allocation_name(stop.id));
  if (entry == watches_.end() || entry->second.ended) return;
  at("order");
  const std::string path = folder_.live(entry->first) + "/order";
  if (auto written = replace_file(path, print_order(stop), false); !written) {
    hand_over({.stop = stop});  // a full disk: again, when there is room
    usleep(10'000);
    return;
  }
  entry->second.ordered = true;
  at("signal");
  signal_process(entry->second.process, SIGUSR1);
}

void LocalKeeper::forget(const model::AllocationId& id) {
  const std::string name = allocation_name(id);
  const auto entry = watches_.find(name);
  if (entry == watches_.end() || !entry->second.ended) return;
  watches_.erase(entry);
  ledger_.forget(name);
  at("forget");
  rename(folder_.live(name).c_str(), folder_.at("trash/" + name).c_str());
  unlink(folder_.ring(name).c_str());
  remove_tree(folder_.at("trash/" + name));
}

void LocalKeeper::do_work(std::vector<LocalWork> work) {
  std::vector<Launch> launches;
  const auto launch_them = [&] { launch(std::exchange(launches, {})); };
  for (LocalWork& one : work) {
    if (one.launch) {
      launches.push_back(std::move(*one.launch));
      continue;
    }
    launch_them();
    if (one.stop) stop(*one.stop);
    if (one.forget) forget(*one.forget);
  }
  launch_them();
}

// The supervisor said that it has begun. That its lock is held proves that the number is still its.
void LocalKeeper::meet_supervisor(Watches::value_type& entry, std::int64_t pid) {
  auto& [name, watch] = entry;
  watch.begun = true;
  Fd process = open_process(static_cast<pid_t>(pid));
  const auto lock = try_lock(folder_.live(name) + "/lock");
  const bool gone = !process.valid() || (lock && lock->valid());
  if (gone) return;
  watch.process = std::move(process);
  wanted_.erase(name);
  by_process_[watch.process.get()] = name;
  watch_descriptor(watch.process.get());
  if (watch.ordered) signal_process(watch.process, SIGUSR1);
}

void LocalKeeper::read_reports(Watches::value_type& entry) {
  auto& [name, watch] = entry;
  if (watch.ended) return;
  const auto text =
      read_file(folder_.live(name) + "/reports", static_cast<std::int64_t>(watch.read));
  if (!text) return;
  const auto lines = parse_report_lines(*text, watch.id);
  if (!lines) return;  // its supervisor's to repair
  watch.read += lines->bytes;
  for (const ReportLine& line : lines->lines) {
    if (!line.begun && is_end(line.report.kind)) {
      watch.ended = true;
      wanted_.erase(name);
      if (watch.process.valid()) by_process_.erase(watch.process.get());
      watch.process.reset();
    }
    if (!line.begun) tell_(line.report);
  }
  if (watch.ended || watch.process.valid()) return;
  const auto begun = std::find_if(lines->lines.rbegin(), lines->lines.rend(),
                                  [](const ReportLine& line) { return line.begun; });
  if (begun != lines->lines.rend()) meet_supervisor(entry, begun->pid);
}

void LocalKeeper::take_ring() {
  alignas(inotify_event) char events[16384];
  while (true) {
    const ssize_t got = read(ring_.get(), events, sizeof events);
    if (got <= 0) return;
    for (ssize_t offset = 0; offset < got;) {
      inotify_event event{};
      std::memcpy(&event, events + offset, sizeof event);
      const char* name = events + offset + sizeof event;
      offset += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        for (auto& entry : watches_) read_reports(entry);
        continue;
      }
      if (event.len == 0) continue;
      const auto entry = watches_.find(name);
      if (entry != watches_.end()) {
        read_reports(*entry);
      } else {
        unlink(folder_.ring(name).c_str());  // it was forgotten
      }
    }
  }
}

// Nothing of it was begun in all this time. Under its lock, nobody begins it later.
void LocalKeeper::give_up(Watches::value_type& entry) {
  auto& [name, watch] = entry;
  const auto lock = try_lock(folder_.live(name) + "/lock");
  if (lock && !lock->valid()) {  // one is just coming
    want_supervisor(entry);
    return;
  }
  read_reports(entry);
  if (watch.begun || watch.ended) return;
  rename(folder_.live(name).c_str(), folder_.at("trash/" + name).c_str());
  launch_failed(entry, "its supervisor could not be started");
}

void LocalKeeper::ask_for_supervisors() {
  const std::int64_t now = monotonic_ms();
  const std::set<std::string> wanted = wanted_;  // it changes when one is given up
  for (const std::string& name : wanted) {
    auto& entry = *watches_.find(name);
    Watch& watch = entry.second;
    if (watch.ask_at > now) continue;
    if (!watch.begun && now >= watch.fail_at) {
      give_up(entry);
      continue;
    }
    watch.ask_at = now + kAskAgainMs;
    at("ask");
    hub_.ask(name);
  }
}

void LocalKeeper::keep_hub() {
  if (hub_.runs() || monotonic_ms() < hub_again_at_) return;
  hub_again_at_ = monotonic_ms() + kHubAgainMs;
  if (!hub_.start(options_.hub)) return;
  watch_descriptor(hub_.process());
  for (const std::string& name : wanted_) watches_[name].ask_at = monotonic_ms();
}

void LocalKeeper::catch_up() {
  for (auto& entry : watches_) read_reports(entry);
}

void LocalKeeper::run() {
  while (!ending_) {
    keep_hub();
    ask_for_supervisors();
    std::int64_t next = hub_.runs() ? LLONG_MAX : hub_again_at_;
    for (const std::string& name : wanted_) next = std::min(next, watches_[name].ask_at);
    const std::int64_t wait =
        next == LLONG_MAX ? -1 : std::max<std::int64_t>(next - monotonic_ms(), 0);
    epoll_event events[64];
    const int count = epoll_wait(waits_.get(), events, 64, static_cast<int>(wait));
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == wake_.get()) {
        eventfd_t ignored = 0;
        eventfd_read(fd, &ignored);
      } else if (fd == ring_.get()) {
        take_ring();
      } else if (fd == hub_.process()) {
        hub_.stop();
      } else if (const auto ended = by_process_.find(fd); ended != by_process_.end()) {
        auto& entry = *watches_.find(ended->second);
        by_process_.erase(ended);
        entry.second.process.reset();
        read_reports(entry);
        // It died without an end: another one clears up after it.
        if (!entry.second.ended) want_supervisor(entry);
      }
    }
    std::vector<LocalWork> work;
    {
      const std::lock_guard guard(mutex_);
      work.swap(work_);
    }
    do_work(std::move(work));
  }
  hub_.stop();
}

}  // namespace headroom::engine

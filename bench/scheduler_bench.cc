// Whole scheduling cycles on large clusters: what a user or an operator waits for.
//
//   gang        a 512-node gang under a required domain, on 10,000 nodes
//   cannot_run  "cannot run, because": 10 tasks of 8 GPUs on a full cluster
//   cold        the first cycle with 50,000 waiting jobs of 1,000 queues
//   one_event   the cycle after one job of those has ended
//   state_copy  the whole state of 10,000 nodes and 100,000 jobs; `MiB` is what the process takes
#include <benchmark/benchmark.h>

#include <fstream>
#include <memory>
#include <string>

#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"

namespace headroom::bench {

namespace {

constexpr int kGpus = 8;
constexpr base::Duration kHour{3'600'000};

// Nodes of 8 GPUs, 32 under a leaf, 640 in a pod.
model::Cluster cluster_of(std::size_t nodes) {
  model::Cluster cluster;
  cluster.gpu_models.push_back({.name = "H100-SXM", .memory = base::gibibytes(80)});
  const model::ShapeId shape = cluster.intern_shape({.pool = "h100",
                                                     .cpu = base::CpuMilli{96'000},
                                                     .memory = base::gibibytes(1024),
                                                     .gpu_model = model::GpuModelId{0},
                                                     .gpus = kGpus});
  for (std::size_t i = 0; i < nodes; ++i) {
    cluster.nodes.push_back({"n" + std::to_string(i), shape});
    for (std::size_t level = 0; level < model::kLevels; ++level) {
      const std::size_t size = level == 4 ? 640 : level == 3 ? 32 : 1;
      cluster.fabric.domain_of[level].emplace_back(i / size);
      cluster.fabric.domains[level] = static_cast<std::uint32_t>(i / size) + 1;
    }
  }
  return cluster;
}

std::vector<model::Queue> queues_of(int count) {
  std::vector<model::Queue> queues;
  for (int i = 0; i < count; ++i) queues.push_back({.name = "q" + std::to_string(i)});
  return queues;
}

model::Job job_of(int queue, std::int64_t tasks, int gpus) {
  model::Job job{.job = "train", .queue = "q" + std::to_string(queue), .user = "ana"};
  job.groups = {{.name = "", .tasks = tasks, .request = {.gpu = model::GpuRequest::whole(gpus)}}};
  return job;
}

class Site {
 public:
  Site(std::size_t nodes, int queues)
      : cluster_(std::make_shared<const model::Cluster>(cluster_of(nodes))),
        state_(cluster_, std::make_shared<const schedule::QueueTree>(
                             queues_of(queues), schedule::pool_names(*cluster_))),
        scheduler_(state_, schedule::make_policy("headroom"),
                   schedule::make_placement("headroom_learned", *cluster_, {})) {}

  std::int64_t submit(const model::Job& job, base::Duration planned = kHour) {
    record(model::Event{model::JobSubmitted{{++number_, -1}, job, {}, planned}});
    scheduler_.arrived(number_);
    return number_;
  }
  void record(std::variant<model::Event, model::Decision> what) {
    apply(state_, {.sequence = ++records_, .time = now_, .what = std::move(what)});
  }
  void carry_out(const schedule::Decisions& decided) {
    for (const model::Decision& one : decided.decisions) record(one);
  }
  void end(std::int64_t job) {
    record(model::Event{
        model::AllocationEnded{{{job, -1}, state_.job(state_.find({job, -1})).attempt}}});
  }
  void pass(base::Duration time) { now_ = now_ + time; }
  schedule::State& state() { return state_; }
  schedule::Scheduler& scheduler() { return scheduler_; }

 private:
  std::shared_ptr<const model::Cluster> cluster_;
  schedule::State state_;
  schedule::Scheduler scheduler_;
  base::Time now_{1};
  std::int64_t number_ = 0;
  std::uint64_t records_ = 0;
};

void gang(benchmark::State& run) {
  Site site(10'000, 4);
  model::Job job = job_of(0, 512, kGpus);
  job.topology = model::TopologySpec{.required = model::Level::kPod, .preferred = {}, .segment = 0};
  site.submit(job);
  std::size_t started = 0;
  for (auto _ : run) started = site.scheduler().decide().decisions.size();
  if (started != 1) run.SkipWithError("the gang does not start");
}

// Every GPU of every second node is taken, and one of every other: much is free, no node whole.
void cannot_run(benchmark::State& run) {
  const auto nodes = static_cast<std::size_t>(run.range(0));
  Site site(nodes, 4);
  for (std::size_t i = 0; i < nodes; ++i) site.submit(job_of(1, 1, kGpus));
  site.carry_out(site.scheduler().decide());
  const std::int64_t waits = site.submit(job_of(0, 10, kGpus));
  for (std::size_t i = 0; i < nodes; i += 2) site.end(static_cast<std::int64_t>(i) + 1);
  for (std::size_t i = 0; i < nodes / 2; ++i) site.submit(job_of(1, 1, 1 + kGpus / 2));
  site.carry_out(site.scheduler().decide());
  schedule::Reason why;
  for (auto _ : run) {
    site.scheduler().decide();
    why = site.scheduler().reason(site.state().find({waits, -1}));
  }
  if (!site.state().find({waits, -1}).valid() || why.kind == schedule::Reason::Kind::kNone) {
    run.SkipWithError("it runs");
  }
}

// A full cluster of 10,000 nodes but for single GPUs, and 50,000 jobs of several that wait.
std::unique_ptr<Site> crowd() {
  auto site = std::make_unique<Site>(10'000, 1000);
  for (int i = 0; i < 10'000; ++i) site->submit(job_of(i % 1000, 1, kGpus - 1));
  site->carry_out(site->scheduler().decide());
  for (int i = 0; i < 50'000; ++i) site->submit(job_of(i % 1000, 1 + i % 3, 2 + i % 7));
  return site;
}

void cold(benchmark::State& run) {
  for (auto _ : run) {
    run.PauseTiming();
    const std::unique_ptr<Site> site = crowd();
    run.ResumeTiming();
    benchmark::DoNotOptimize(site->scheduler().decide());
  }
}

void one_event(benchmark::State& run) {
  const std::unique_ptr<Site> site = crowd();
  site->carry_out(site->scheduler().decide());
  std::int64_t next = 1;
  for (auto _ : run) {
    run.PauseTiming();
    site->pass(base::Duration{60'000});
    site->end(next++);
    run.ResumeTiming();
    const schedule::Decisions decided = site->scheduler().decide();
    run.PauseTiming();
    site->carry_out(decided);
    run.ResumeTiming();
  }
}

double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kib = 0;
    status >> kib;
    return kib / 1024;
  }
  return 0;
}

void state_copy(benchmark::State& run) {
  Site site(10'000, 1000);
  for (int i = 0; i < 100'000; ++i) site.submit(job_of(i % 1000, 1, 1));
  site.carry_out(site.scheduler().decide());
  for (auto _ : run) {
    schedule::State other = site.state();
    benchmark::DoNotOptimize(&other);
  }
  run.counters["running"] = static_cast<double>(site.state().running().size());
  run.counters["jobs"] = static_cast<double>(site.state().job_count());
  run.counters["MiB"] = resident_mib();
}

BENCHMARK(gang)->Unit(benchmark::kMillisecond);
BENCHMARK(cannot_run)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(cold)->Unit(benchmark::kMillisecond)->Iterations(2);
BENCHMARK(one_event)->Unit(benchmark::kMillisecond)->Iterations(20);
BENCHMARK(state_copy)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace headroom::bench

BENCHMARK_MAIN();

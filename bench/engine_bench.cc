// The local engine: how fast it starts and stops jobs, with real processes and durable plans.
//
//   engine_bench            launch to start, stop to end, throughput, memory over 10,000 short jobs
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "engine/local_engine.h"
#include "engine/testing/reports.h"

namespace headroom::engine {
namespace {

class Place {
 public:
  Place() {
    std::string pattern = (std::filesystem::temp_directory_path() / "engine-bench-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    engine_ = std::move(
        *open_local_engine({.folder = folder_, .hub = {self, "supervise", folder_}, .nvml = ""}));
  }
  ~Place() {
    engine_.reset();
    std::filesystem::remove_all(folder_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  Engine& engine() { return *engine_; }

  void wait_for(Report::Kind kind) {
    while (true) {
      for (const Report& report : engine_->reports()) {
        if (report.kind == kind) return;
      }
      usleep(100);
    }
  }

 private:
  std::string folder_;
  std::unique_ptr<Engine> engine_;
};

std::int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::int64_t value = 0;
  while (status >> word) {
    if (word == "VmRSS:" && status >> value) break;
  }
  return value;
}

void launch_to_started(benchmark::State& state) {
  Place place;
  std::int64_t number = 0;
  for (auto _ : state) {
    const Launch one = launch_of(++number, "exec sleep 60");
    if (!place.engine().launch(one)) state.SkipWithError("refused");
    place.wait_for(Report::Kind::kStarted);
    state.PauseTiming();
    (void)place.engine().stop({.id = one.id, .epoch = 1, .grace = base::Duration{0}});
    place.wait_for(Report::Kind::kEnded);
    place.engine().forget(one.id);
    state.ResumeTiming();
  }
}
BENCHMARK(launch_to_started)->Unit(benchmark::kMillisecond)->UseRealTime();

void stop_to_ended(benchmark::State& state) {
  Place place;
  std::int64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Launch one = launch_of(++number, "exec sleep 60");
    if (!place.engine().launch(one)) state.SkipWithError("refused");
    place.wait_for(Report::Kind::kStarted);
    state.ResumeTiming();
    (void)place.engine().stop({.id = one.id, .epoch = 1});
    place.wait_for(Report::Kind::kEnded);
    place.engine().forget(one.id);
  }
}
BENCHMARK(stop_to_ended)->Unit(benchmark::kMillisecond)->UseRealTime();

// Jobs a second from launch to end, so many at a time; what the process grew by from the first
// tenth on (KiB).
void short_jobs(benchmark::State& state) {
  const std::int64_t at_a_time = state.range(0);
  const std::int64_t rounds = state.range(1);
  std::int64_t grown = 0;
  for (auto _ : state) {
    Place place;
    std::int64_t before = 0;
    std::int64_t number = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::vector<model::AllocationId> ids;
      for (std::int64_t i = 0; i < at_a_time; ++i) {
        const Launch one = launch_of(++number, ":");
        if (!place.engine().launch(one)) state.SkipWithError("refused");
        ids.push_back(one.id);
      }
      const auto ends = wait_for_ends(place.engine(), ids);
      if (ends.size() != ids.size()) state.SkipWithError("jobs are missing");
      for (const auto& [id, end] : ends) {
        if (end.kind != Report::Kind::kEnded) state.SkipWithError(end.detail.c_str());
        place.engine().forget(id);
      }
      if (round == rounds / 10) before = resident_kib();
    }
    grown = resident_kib() - before;
  }
  state.SetItemsProcessed(state.iterations() * at_a_time * rounds);
  state.counters["grown_kib"] = static_cast<double>(grown);
}
BENCHMARK(short_jobs)
    ->Args({100, 10})
    ->Args({100, 100})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace headroom::engine

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "supervise") return headroom::engine::run_hub(argv[2]);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

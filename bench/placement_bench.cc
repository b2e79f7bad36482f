// Placements per second and the time of one decision, as the cluster grows. See
// docs/performance.md.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "schedule/placements.h"
#include "steady_cluster.h"

namespace headroom::bench {

namespace {

// One cluster for each (placement, size): filling one takes longer than measuring on it.
SteadyCluster& cluster(const std::string& placement, std::size_t nodes) {
  static std::map<std::pair<std::string, std::size_t>, std::unique_ptr<SteadyCluster>> made;
  auto& one = made[{placement, nodes}];
  if (!one) {
    made.clear();  // one at a time: they are large
    auto& fresh = made[{placement, nodes}];
    fresh = std::make_unique<SteadyCluster>(nodes, placement);
    for (int i = 0; i < 20'000; ++i) fresh->step();  // into the steady state
    return *fresh;
  }
  return *one;
}

void steps(benchmark::State& run, const std::string& placement) {
  SteadyCluster& steady = cluster(placement, static_cast<std::size_t>(run.range(0)));
  std::int64_t refused = 0;
  const std::uint64_t scored = steady.placer().scored();
  for (auto _ : run) refused += steady.step() ? 0 : 1;
  run.SetItemsProcessed(run.iterations());
  run.counters["refused"] = static_cast<double>(refused) / static_cast<double>(run.iterations());
  run.counters["scored_per_decision"] = static_cast<double>(steady.placer().scored() - scored) /
                                        static_cast<double>(run.iterations());
  run.counters["index_MiB"] = static_cast<double>(steady.placer().bytes()) / (1 << 20);
}

// The decision alone, without arrival and departure: quantiles over 100,000 of them.
void quantiles(benchmark::State& run, const std::string& placement) {
  SteadyCluster& steady = cluster(placement, static_cast<std::size_t>(run.range(0)));
  std::vector<double> us;
  for (auto _ : run) {
    us.clear();
    for (int i = 0; i < 100'000; ++i) {
      steady.arrive();
      const auto begin = std::chrono::steady_clock::now();
      steady.place();
      const auto end = std::chrono::steady_clock::now();
      us.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
      steady.depart();
    }
  }
  std::sort(us.begin(), us.end());
  run.counters["p50_us"] = us[us.size() / 2];
  run.counters["p99_us"] = us[us.size() * 99 / 100];
  run.counters["max_us"] = us.back();
}

}  // namespace

void add_all() {
  for (const std::string& name : schedule::placement_names()) {
    auto* rate = benchmark::RegisterBenchmark(("steps/" + name).c_str(),
                                              [name](benchmark::State& run) { steps(run, name); });
    auto* time = benchmark::RegisterBenchmark(
        ("decision/" + name).c_str(), [name](benchmark::State& run) { quantiles(run, name); });
    for (const std::int64_t nodes : {100, 1'000, 10'000, 100'000}) {
      rate->Arg(nodes);
      time->Arg(nodes)->Iterations(1)->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace headroom::bench

int main(int argc, char** argv) {
  headroom::bench::add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

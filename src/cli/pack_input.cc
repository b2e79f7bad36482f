#include "cli/pack_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "formats/load.h"
#include "formats/message.h"
#include "formats/spelling.h"
#include "schedule/placements.h"

namespace headroom::cli {

namespace {

constexpr std::size_t kMostSeeds = 10'000;
constexpr double kMostArrive = 10;

tl::unexpected<base::Error> bad_seeds(const std::string& text, const std::string& why) {
  return base::fail(
      fmt::format("--seeds: '{}' {}; write 42-51 or 1,3,7-9", formats::shown(text), why));
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  if (text.empty() || text.size() > 18) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class T>
void warn_of_skipped(const std::string& path, const formats::Rows<T>& rows,
                     std::vector<std::string>& warnings) {
  if (rows.skipped == 0) return;
  std::string text =
      fmt::format("{}: {} bad row{} left out", path, rows.skipped, rows.skipped == 1 ? "" : "s");
  if (!rows.first_errors.empty()) text += "; the first: " + rows.first_errors.front();
  warnings.push_back(std::move(text));
}

base::Result<std::vector<std::string>> checked_placements(const std::vector<std::string>& asked) {
  const std::vector<std::string>& known = schedule::placement_names();
  if (asked.empty()) return known;
  std::vector<std::string> result;
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string hint = formats::hint(name, known);
      if (hint.empty()) hint = " (known: " + formats::one_of(known) + ")";
      return base::fail(fmt::format("--placement: '{}' is unknown{}", formats::shown(name), hint));
    }
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

base::Result<std::int64_t> checked_arrive(double arrive) {
  // Thousandths are enough: a run counts in them.
  const double permille = std::round(arrive * 1000);
  if (!(arrive > 0 && arrive <= kMostArrive) || permille < 1) {
    return base::fail(fmt::format("--arrive: {:g} is not in 0.001..{:g} (times the cluster's GPUs)",
                                  arrive, kMostArrive));
  }
  return static_cast<std::int64_t>(permille);
}

base::Result<std::shared_ptr<const model::Cluster>> read_nodes(const PackOptions& options,
                                                               std::vector<std::string>& warnings) {
  auto rows = formats::read_cluster(options.nodes, {.lenient = options.lenient});
  if (!rows) return tl::unexpected(rows.error());
  warn_of_skipped(options.nodes, *rows, warnings);
  if (rows->value.gpu_capacity() == base::GpuMilli{0}) {
    return base::fail(options.nodes + ": no node has a GPU, so there is nothing to fill");
  }
  return std::make_shared<const model::Cluster>(std::move(rows->value));
}

base::Result<TaskList> read_list(const std::string& path, const model::Cluster& cluster,
                                 const PackOptions& options, std::vector<std::string>& warnings) {
  auto rows = formats::read_tasks(path, cluster, {.lenient = options.lenient});
  if (!rows) return tl::unexpected(rows.error());
  warn_of_skipped(path, *rows, warnings);
  const bool any_gpu =
      std::any_of(rows->value.begin(), rows->value.end(), [](const model::Task& task) {
        return task.request.gpu.kind != model::GpuRequest::Kind::kNone;
      });
  if (!any_gpu) return base::fail(path + ": no task asks for a GPU, so the cluster never fills");
  return TaskList{.name = std::filesystem::path(path).stem().string(),
                  .workload = std::make_shared<const simulate::Workload>(
                      simulate::make_workload(std::move(rows->value)))};
}

// Lists are told apart by name everywhere, so two files of one name need their folders.
base::Result<void> name_apart(std::vector<TaskList>& lists, const std::vector<std::string>& paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    if (!seen.insert(std::filesystem::path(path).lexically_normal().string()).second) {
      return base::fail("--tasks: " + path + " is given twice");
    }
  }
  std::multiset<std::string> names;
  for (const TaskList& list : lists) names.insert(list.name);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (names.count(lists[i].name) < 2) continue;
    lists[i].name = std::filesystem::path(paths[i]).lexically_normal().string();
  }
  return {};
}

}  // namespace

base::Result<std::vector<std::uint64_t>> parse_seeds(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  std::set<std::uint64_t> seen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t dash = std::min(part.find('-'), part.size());
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!parse_number(part.substr(0, dash), first) ||
        !parse_number(dash < part.size() ? part.substr(dash + 1) : part, last)) {
      return bad_seeds(text, "is not a list of whole numbers and ranges");
    }
    if (first > last) return bad_seeds(text, fmt::format("has {} before {}", first, last));
    if (last - first >= kMostSeeds - seeds.size()) {
      return bad_seeds(text, fmt::format("is more than {} seeds", kMostSeeds));
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      if (!seen.insert(seed).second) return bad_seeds(text, fmt::format("has {} twice", seed));
      seeds.push_back(seed);
    }
  }
  return seeds;
}

base::Result<Grid> read_grid(const PackOptions& options, std::vector<std::string>& warnings) {
  // The words first: they are cheaper to check than the files.
  Grid grid;
  auto placements = checked_placements(options.placements);
  if (!placements) return tl::unexpected(placements.error());
  grid.placements = std::move(*placements);
  auto seeds = parse_seeds(options.seeds);
  if (!seeds) return tl::unexpected(seeds.error());
  grid.seeds = std::move(*seeds);
  const auto arrive = checked_arrive(options.arrive);
  if (!arrive) return tl::unexpected(arrive.error());
  grid.arrive_permille = *arrive;
  if (options.threads < 0 || options.threads > 1024) {
    return base::fail(fmt::format("--threads: {} is not in 0..1024", options.threads));
  }

  auto cluster = read_nodes(options, warnings);
  if (!cluster) return tl::unexpected(cluster.error());
  grid.cluster = std::move(*cluster);
  for (const std::string& path : options.tasks) {
    auto list = read_list(path, *grid.cluster, options, warnings);
    if (!list) return tl::unexpected(list.error());
    grid.lists.push_back(std::move(*list));
  }
  if (auto named = name_apart(grid.lists, options.tasks); !named) {
    return tl::unexpected(named.error());
  }
  return grid;
}

}  // namespace headroom::cli

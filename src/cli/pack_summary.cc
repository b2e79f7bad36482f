#include "cli/pack_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cli/text.h"

namespace headroom::cli {

namespace {

// Means that differ by less, in points, are equal: less than a GPU of a million.
constexpr double kEqual = 1e-4;

std::map<int, PointStatistics> statistics_by_point(
    const std::vector<simulate::FillUpResult>& runs) {
  std::size_t length = 0;
  for (const auto& run : runs) length = std::max(length, run.curve.at.size());
  std::map<int, PointStatistics> result;
  for (std::size_t point = 0; point < length; ++point) {
    std::vector<double> allocated, fragment, rate;
    for (const auto& run : runs) {
      if (point >= run.curve.at.size() || !run.curve.at[point].seen) continue;
      allocated.push_back(run.curve.at[point].allocated);
      fragment.push_back(run.curve.at[point].fragment);
      rate.push_back(run.curve.at[point].fragment_rate);
    }
    if (allocated.empty()) continue;
    result[static_cast<int>(point)] = {.allocated = statistics_of(std::move(allocated)),
                                       .fragment = statistics_of(std::move(fragment)),
                                       .fragment_rate = statistics_of(std::move(rate))};
  }
  return result;
}

// Mean over the lists of the mean allocation at the point where placements are compared.
double mean_allocated(const PackOutcome& outcome, std::size_t placement, int point) {
  double sum = 0;
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    const auto& at = outcome.row(list, placement).at;
    const auto found = at.find(point);
    if (found != at.end()) sum += found->second.allocated.mean;
  }
  return sum / static_cast<double>(outcome.lists.size());
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += names[i];
  }
  return text;
}

// How many lists this placement leads (alone or with others).
std::size_t lists_led(const PackOutcome& outcome, std::size_t placement, int point) {
  const auto allocated = [&](std::size_t list, std::size_t of) {
    const auto& at = outcome.row(list, of).at;
    const auto found = at.find(point);
    return found == at.end() ? 0.0 : found->second.allocated.mean;
  };
  std::size_t led = 0;
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    bool first = true;
    for (std::size_t other = 0; other < outcome.placements.size(); ++other) {
      first = first && allocated(list, placement) >= allocated(list, other);
    }
    led += first ? 1 : 0;
  }
  return led;
}

}  // namespace

std::vector<int> PackOutcome::points() const {
  std::vector<int> result;
  for (int point : kPoints) {
    const bool reached = std::any_of(rows.begin(), rows.end(),
                                     [&](const PackRow& row) { return row.at.contains(point); });
    if (reached) result.push_back(point);
  }
  return result;
}

int PackOutcome::main_point() const {
  std::set<int> common;  // reached by every row
  for (const auto& [point, unused] : rows.front().at) common.insert(point);
  for (const PackRow& row : rows) {
    std::erase_if(common, [&](int point) { return point > 100 || !row.at.contains(point); });
  }
  return common.empty() ? 0 : *common.rbegin();
}

PackOutcome summarise(const Grid& grid, const std::vector<simulate::FillUpResult>& runs,
                      double seconds) {
  PackOutcome outcome;
  outcome.cluster = grid.cluster->name;
  outcome.nodes = grid.cluster->nodes.size();
  outcome.gpus = grid.cluster->gpu_capacity() / base::kWholeGpu;
  outcome.arrive = static_cast<double>(grid.arrive_permille) / 1000;
  outcome.seeds = grid.seeds;
  outcome.placements = grid.placements;
  outcome.seconds = seconds;
  for (const TaskList& list : grid.lists) outcome.lists.push_back(list.name);
  for (std::size_t list = 0; list < grid.lists.size(); ++list) {
    for (std::size_t placement = 0; placement < grid.placements.size(); ++placement) {
      const auto first = runs.begin() + static_cast<std::ptrdiff_t>(grid.index(list, placement, 0));
      PackRow row{.tasks = grid.lists[list].name,
                  .placement = grid.placements[placement],
                  .at = {},
                  .runs = {first, first + static_cast<std::ptrdiff_t>(grid.seeds.size())}};
      row.at = statistics_by_point(row.runs);
      outcome.rows.push_back(std::move(row));
    }
  }
  return outcome;
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  std::string text;
  for (std::size_t i = 0; i < seeds.size();) {
    std::size_t end = i + 1;
    while (end < seeds.size() && seeds[end] == seeds[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(seeds[i]);
    if (end - i > 1) text += "-" + std::to_string(seeds[end - 1]);
    i = end;
  }
  return text;
}

std::string headline(const PackOutcome& outcome) {
  const int point = outcome.main_point();
  std::vector<std::size_t> order(outcome.placements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return mean_allocated(outcome, a, point) > mean_allocated(outcome, b, point);
  });
  const double best = mean_allocated(outcome, order[0], point);
  std::vector<std::string> winners;
  for (std::size_t i : order) {
    if (mean_allocated(outcome, i, point) > best - kEqual) winners.push_back(outcome.placements[i]);
  }
  const bool several = winners.size() > 1;
  const bool many_lists = outcome.lists.size() > 1;
  const std::string names = several ? listed(winners) : winners[0];
  const std::string what =
      fmt::format("{} {}{:.2f} % of the {} GPUs", several ? "allocate" : "allocates",
                  many_lists ? "on average " : "", best, grouped(outcome.gpus));
  if (order.size() == 1) return names + " " + what + ".";

  std::string text = names + (several ? " waste least" : " wastes least");
  if (many_lists && !several) {
    const std::size_t led = lists_led(outcome, order[0], point);
    text += led == outcome.lists.size()
                ? fmt::format(" on all {} lists", led)
                : fmt::format(" (best on {} of {} lists)", led, outcome.lists.size());
  }
  text += (several ? ": they " : ": it ") + what;
  if (winners.size() == order.size()) return text + ".";

  // Best fit is what most schedulers do, so it is what a gain is measured against.
  std::size_t other = order[winners.size()];
  for (std::size_t i = winners.size(); i < order.size(); ++i) {
    if (outcome.placements[order[i]] == "best_fit") other = order[i];
  }
  const double gain = (best - mean_allocated(outcome, other, point)) / 100;
  const auto more = std::llround(gain * static_cast<double>(outcome.gpus));
  return text + fmt::format(", {} GPU{} more than {}.", grouped(more), more == 1 ? "" : "s",
                            outcome.placements[other]);
}

}  // namespace headroom::cli

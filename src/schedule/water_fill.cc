#include "schedule/water_fill.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

// Among claims of one priority. Satisfies the claims with the least need per weight as long as
// their fair part covers it; the rest share what is left in proportion.
std::int64_t fill_bucket(std::int64_t amount, const std::vector<Claim>& claims,
                         std::vector<std::size_t> bucket, std::vector<std::int64_t>& given) {
  std::stable_sort(bucket.begin(), bucket.end(), [&](std::size_t a, std::size_t b) {
    return Wide{claims[a].need} * claims[b].weight < Wide{claims[b].need} * claims[a].weight;
  });
  std::int64_t weights = 0;
  for (std::size_t i : bucket) weights += claims[i].weight;
  std::size_t next = 0;
  for (; next < bucket.size(); ++next) {
    const Claim& claim = claims[bucket[next]];
    if (Wide{claim.need} * weights > Wide{amount} * claim.weight) break;
    given[bucket[next]] = claim.need;
    amount -= claim.need;
    weights -= claim.weight;
  }
  if (next == bucket.size()) return amount;
  std::sort(bucket.begin() + static_cast<std::ptrdiff_t>(next), bucket.end());
  std::vector<std::int64_t> parts;
  for (std::size_t i = next; i < bucket.size(); ++i) parts.push_back(claims[bucket[i]].weight);
  const std::vector<std::int64_t> shared = in_proportion(amount, parts);
  for (std::size_t i = next; i < bucket.size(); ++i) given[bucket[i]] = shared[i - next];
  return 0;
}

}  // namespace

std::vector<std::int64_t> in_proportion(std::int64_t amount,
                                        const std::vector<std::int64_t>& parts) {
  std::vector<std::int64_t> given(parts.size(), 0);
  const std::int64_t total = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  if (total == 0) return given;
  std::vector<std::int64_t> remainder(parts.size());
  std::int64_t left = amount;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Wide exact = Wide{amount} * parts[i];
    given[i] = static_cast<std::int64_t>(exact / total);
    remainder[i] = static_cast<std::int64_t>(exact % total);
    left -= given[i];
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++given[order[i]];
  return given;
}

std::vector<std::int64_t> water_fill(std::int64_t amount, const std::vector<Claim>& claims) {
  HEADROOM_ASSERT(amount >= 0);
  std::vector<std::int64_t> given(claims.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].weight > 0 && claims[i].need > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return claims[a].priority > claims[b].priority;
  });
  for (std::size_t begin = 0; begin < order.size() && amount > 0;) {
    std::size_t end = begin;
    while (end < order.size() && claims[order[end]].priority == claims[order[begin]].priority) {
      ++end;
    }
    amount = fill_bucket(amount, claims,
                         {order.begin() + static_cast<std::ptrdiff_t>(begin),
                          order.begin() + static_cast<std::ptrdiff_t>(end)},
                         given);
    begin = end;
  }
  return given;
}

}  // namespace headroom::schedule

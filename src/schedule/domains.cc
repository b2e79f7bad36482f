#include "schedule/domains.h"

#include <algorithm>
#include <numeric>

namespace headroom::schedule {

namespace {

using Nodes = std::vector<std::uint32_t>;

struct Domain {
  Nodes nodes;
  std::int64_t room = 0;  // tasks, whole segments
};

class Division {
 public:
  Division(const model::Fabric& fabric, const model::TopologySpec& wish,
           const std::vector<std::int64_t>& capacity)
      : fabric_(fabric), wish_(wish), capacity_(capacity) {}

  // The domains of a level that have room among these nodes.
  std::vector<Domain> domains(model::Level level, const Nodes& among) const {
    const auto& domain_of = fabric_.domain_of[static_cast<std::size_t>(level)];
    std::vector<Domain> all(fabric_.domains[static_cast<std::size_t>(level)]);
    for (std::uint32_t node : among) {
      if (node >= domain_of.size() || !domain_of[node].valid()) continue;
      Domain& domain = all[domain_of[node].index()];
      domain.nodes.push_back(node);
      domain.room += capacity_[node];
    }
    if (level == segment_level()) {
      for (Domain& domain : all) domain.room -= domain.room % segment();
    } else if (wish_.segment > 1 && level > segment_level()) {
      for (Domain& domain : all) domain.room = room_in_segments(domain.nodes);
    }
    std::erase_if(all, [](const Domain& domain) { return domain.room <= 0; });
    return all;
  }

  // The tightest domain that holds n tasks.
  static const Domain* tightest(const std::vector<Domain>& domains, std::int64_t n) {
    const Domain* best = nullptr;
    for (const Domain& domain : domains) {
      if (domain.room >= n && (best == nullptr || domain.room < best->room)) best = &domain;
    }
    return best;
  }

  // Evenly over as few domains as can hold n tasks, whole segments.
  std::optional<std::vector<Share>> spread(std::vector<Domain> domains, std::int64_t n) const {
    std::stable_sort(domains.begin(), domains.end(),
                     [](const Domain& a, const Domain& b) { return a.room > b.room; });
    std::size_t used = 0;
    std::int64_t room = 0;
    while (used < domains.size() && room < n) room += domains[used++].room;
    if (room < n) return std::nullopt;
    std::vector<Share> shares;
    for (std::size_t i = used; i-- > 0;) {  // the tightest first: what it cannot take, others can
      const auto left = static_cast<std::int64_t>(i) + 1;
      std::int64_t part = (n + left - 1) / left;
      part = (part + segment() - 1) / segment() * segment();
      part = std::min({part, domains[i].room, n});
      shares.push_back({std::move(domains[i].nodes), part});
      n -= part;
    }
    std::reverse(shares.begin(), shares.end());
    // Tasks are numbered through the shares: one that ends within a segment comes last.
    std::stable_partition(shares.begin(), shares.end(),
                          [&](const Share& share) { return share.tasks % segment() == 0; });
    return shares;
  }

  std::int64_t segment() const { return std::max<std::int64_t>(1, wish_.segment); }

  model::Level segment_level() const { return schedule::segment_level(wish_); }

 private:
  std::int64_t room_in_segments(const Nodes& nodes) const {
    std::int64_t room = 0;
    for (const Domain& domain : domains(segment_level(), nodes)) room += domain.room;
    return room;
  }

  const model::Fabric& fabric_;
  const model::TopologySpec& wish_;
  const std::vector<std::int64_t>& capacity_;
};

// Inside `among`: the lowest level from the preferred one up of which one domain holds n tasks;
// inside that, spread over preferred domains.
std::optional<std::vector<Share>> prefer(const Division& division, model::Level preferred,
                                         Nodes among, std::int64_t n) {
  for (auto level = static_cast<std::size_t>(preferred); level < model::kLevels; ++level) {
    const std::vector<Domain> domains = division.domains(static_cast<model::Level>(level), among);
    if (const Domain* one = Division::tightest(domains, n)) {
      among = one->nodes;
      break;
    }
  }
  return division.spread(division.domains(preferred, among), n);
}

}  // namespace

model::Level segment_level(const model::TopologySpec& topology) {
  return topology.preferred.value_or(topology.required.value_or(model::Level::kNode));
}

std::optional<std::vector<Share>> divide(const model::Fabric& fabric,
                                         const std::optional<model::TopologySpec>& topology,
                                         const std::vector<std::int64_t>& capacity,
                                         std::int64_t n) {
  Nodes all(capacity.size());
  std::iota(all.begin(), all.end(), 0u);
  if (!topology || (!topology->required && !topology->preferred)) {
    const std::int64_t room = std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0});
    if (room < n) return std::nullopt;
    return std::vector<Share>{{std::move(all), n}};
  }
  const Division division(fabric, *topology, capacity);
  if (!topology->required) {
    auto shares = prefer(division, *topology->preferred, all, n);
    if (shares || topology->segment > 1) return shares;
    return divide(fabric, std::nullopt, capacity, n);  // only a wish: anywhere will do
  }
  // Domains that hold all, the tightest first; a preferred level inside must work out as well.
  std::vector<Domain> domains = division.domains(*topology->required, all);
  std::erase_if(domains, [&](const Domain& domain) { return domain.room < n; });
  std::stable_sort(domains.begin(), domains.end(),
                   [](const Domain& a, const Domain& b) { return a.room < b.room; });
  for (Domain& domain : domains) {
    if (!topology->preferred) return std::vector<Share>{{std::move(domain.nodes), n}};
    if (auto shares = prefer(division, *topology->preferred, domain.nodes, n)) return shares;
    if (topology->segment <= 1) return std::vector<Share>{{std::move(domain.nodes), n}};
  }
  return std::nullopt;
}

}  // namespace headroom::schedule

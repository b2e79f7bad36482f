// TRES, GRES and dependencies of slurm_values.h.
#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/slurm_values.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

// The GPUs that a list of TRES names by type and as a sum: `gres/gpu=8,gres/gpu:h100=8`.
void add_gpus(Tres& tres, std::string_view type, std::int64_t count) {
  if (type.empty()) {
    tres.gpus = std::max(tres.gpus, count);
  } else if (count > 0) {
    tres.types.push_back({.type = std::string(type), .count = count});
  }
}

Result<void> add_resource(Tres& tres, std::string_view name, std::string_view value) {
  const auto count = [&]() -> Result<std::int64_t> {
    Result<std::int64_t> number = parse_integer(value, 0, kMost);
    if (number) return number;
    return base::fail(fmt::format("{}: {}", shown(name), number.error().message));
  };
  if (name == "mem") {
    const Result<SlurmMemory> memory = parse_slurm_memory(value);
    if (!memory) return base::fail("mem: " + memory.error().message);
    tres.memory = memory->amount;
    return {};
  }
  const bool gpu = name == "gres/gpu" || name.starts_with("gres/gpu:");
  if (!gpu && name != "cpu" && name != "node" && name != "gres/shard") return {};
  const Result<std::int64_t> number = count();
  if (!number) return tl::unexpected(number.error());
  if (name == "cpu") tres.cpu = *number;
  if (name == "node") tres.nodes = *number;
  if (name == "gres/shard") tres.shards = *number;
  if (gpu) add_gpus(tres, name.substr(std::min<std::size_t>(name.size(), 9)), *number);
  return {};
}

}  // namespace

Result<Tres> parse_tres(std::string_view text) {
  Tres tres;
  if (is_nothing(text)) return tres;
  for (const std::string_view part : split_outside(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return base::fail(shown(part) + " is not a resource (such as cpu=4 or gres/gpu:h100=8)");
    }
    const auto done = add_resource(tres, part.substr(0, equals), part.substr(equals + 1));
    if (!done) return tl::unexpected(done.error());
  }
  std::int64_t typed = 0;
  for (const SlurmGpus& one : tres.types) typed += one.count;
  tres.gpus = std::max(tres.gpus, typed);
  tres.is_known = true;
  return tres;
}

Result<std::vector<SlurmGpus>> parse_gres(std::string_view text) {
  std::vector<SlurmGpus> gpus;
  if (is_nothing(text)) return gpus;
  for (const std::string_view item : split_outside(text, ',')) {
    std::string part(item.substr(0, item.find('(')));
    for (const std::string_view prefix : {"PER_NODE:", "PER_JOB:", "gres:", "gres/"}) {
      if (part.starts_with(prefix)) part.erase(0, prefix.size());
    }
    std::replace(part.begin(), part.end(), '=', ':');
    const std::vector<std::string_view> words = split_outside(part, ':');
    if (words.empty() || words[0] != "gpu") continue;
    SlurmGpus one{.count = 1};
    // gpu · gpu:4 · gpu:h100 · gpu:h100:4, with flags such as no_consume between.
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "no_consume") continue;
      const bool is_last = i + 1 == words.size();
      const Result<std::int64_t> count = parse_integer(words[i], 0, kMost);
      if (is_last && count) {
        one.count = *count;
      } else if (one.type.empty()) {
        one.type = words[i];
      } else {
        return base::fail(shown(item) + " is not a resource (such as gpu:h100:8)");
      }
    }
    if (one.count > 0) gpus.push_back(std::move(one));
  }
  return gpus;
}

std::vector<model::Dependency> parse_slurm_dependencies(std::string_view text,
                                                        std::vector<std::string>& ignored) {
  using Kind = model::Dependency::Kind;
  std::vector<model::Dependency> after;
  std::string list(text);
  std::replace(list.begin(), list.end(), '?', ',');  // "any of them": taken as all
  for (const std::string_view item : split_outside(list, ',')) {
    const std::string_view part = item.substr(0, item.find('('));
    const std::vector<std::string_view> words = split_outside(part, ':');
    if (words.empty() || is_nothing(words[0])) continue;
    Kind kind = Kind::kOk;
    if (words[0] == "after") {
      kind = Kind::kStarted;
    } else if (words[0] == "afterany") {
      kind = Kind::kAny;
    } else if (words[0] == "afternotok") {
      kind = Kind::kFailed;
    } else if (words[0] != "afterok" && words[0] != "aftercorr") {
      ignored.emplace_back(words[0]);
      continue;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      // 12_3 is an element of array 12; 12+5 is five minutes after 12.
      const std::string_view number = words[i].substr(0, words[i].find_first_of("_+"));
      const Result<std::int64_t> job = parse_integer(number, 1, std::int64_t{1} << 40);
      if (job) {
        after.push_back({.kind = kind, .job = *job});
      } else {
        ignored.emplace_back(part);
      }
    }
  }
  return after;
}

}  // namespace headroom::formats

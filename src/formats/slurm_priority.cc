#include "formats/slurm_priority.h"

#include <fmt/format.h>

#include <charconv>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Duration;
using base::Result;
using model::SlurmPriority;

namespace {

constexpr std::int64_t kMost = 4'294'967'295;  // a weight is a 32-bit number

class SettingReader {
 public:
  explicit SettingReader(const SlurmFacts& facts) : facts_(facts) {}

  void number(const char* key, std::int64_t& into) {
    const std::string* const text = find(key);
    if (text == nullptr) return;
    const auto value = parse_integer(*text, 0, kMost);
    if (value) {
      into = *value;
    } else {
      bad(key, value.error().message);
    }
  }
  // "7-0", "14-00:00:00", or "0" for none.
  void duration(const char* key, Duration& into) {
    const std::string* const text = find(key);
    if (text == nullptr) return;
    const auto value = parse_slurm_limit(*text);
    if (value) {
      into = value->value_or(Duration{});
    } else {
      bad(key, value.error().message);
    }
  }
  // bf_interval=5 among the words of SchedulerParameters, in units of so many milliseconds.
  void parameter(const std::string& word, std::int64_t unit, Duration& into) {
    std::int64_t value = -1;
    parameter(word, 0, value);
    if (value >= 0) into = Duration{value * unit};
  }
  void parameter(const std::string& word, std::int64_t least, std::int64_t& into) {
    const std::string* const all = find("schedulerparameters");
    if (all == nullptr) return;
    for (const std::string_view part : split_outside(*all, ',')) {
      if (!part.starts_with(word + "=")) continue;
      const auto value = parse_integer(part.substr(word.size() + 1), least, kMost);
      if (value) {
        into = *value;
      } else {
        bad("SchedulerParameters", fmt::format("{}: {}", word, value.error().message));
      }
    }
  }
  bool is_yes(const char* key) const {
    const std::string* const text = find(key);
    return text != nullptr && (lower_case(*text) == "yes" || *text == "1");
  }
  const std::string* find(const std::string& key) const {
    const auto found = facts_.settings.find(lower_case(key));
    return found == facts_.settings.end() ? nullptr : &found->second;
  }
  const std::string& problem() const { return problem_; }

 private:
  void bad(const char* key, const std::string& what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", key, what);
  }

  const SlurmFacts& facts_;
  std::string problem_;
};

}  // namespace

Result<SlurmPriority> read_slurm_priority(const std::vector<NamedText>& texts) {
  SlurmFacts facts;
  for (const NamedText& one : texts) {
    if (auto done = add_slurm_text(one.name, one.text, facts); !done) {
      return tl::unexpected(done.error());
    }
  }
  SlurmPriority priority;
  SettingReader settings(facts);
  if (const std::string* const type = settings.find("PriorityType")) {
    priority.multifactor = *type != "priority/basic";
  }
  settings.number("PriorityWeightAge", priority.age);
  settings.number("PriorityWeightFairShare", priority.fair_share);
  settings.number("PriorityWeightJobSize", priority.job_size);
  settings.number("PriorityWeightPartition", priority.partition);
  settings.number("PriorityWeightQOS", priority.qos);
  settings.duration("PriorityMaxAge", priority.max_age);
  settings.duration("PriorityDecayHalfLife", priority.decay_half_life);
  settings.parameter("bf_interval", 1000, priority.backfill_interval);
  settings.parameter("bf_window", 60'000, priority.backfill_window);
  settings.parameter("bf_max_job_test", 1, priority.backfill_depth);
  priority.favor_small = settings.is_yes("PriorityFavorSmall");
  priority.qos_priority = facts.qos_priority;
  priority.partition_factor = facts.partition_factor;
  if (settings.problem().empty()) return priority;
  return base::fail((texts.empty() ? "" : texts[0].name + ": ") + settings.problem());
}

}  // namespace headroom::formats

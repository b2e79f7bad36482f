#include "formats/slurm_job.h"

#include <fmt/format.h>

#include "formats/message.h"
#include "formats/names.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::int64_t kMostNumber = std::int64_t{1} << 40;

tl::unexpected<base::Error> bad_id(std::string_view text) {
  return base::fail(shown(text) +
                    " is not a job's id (such as 123, 123_4, 123_[1-9%2], 123+1 or 123.batch)");
}

// "[1-9,12%2]", without brackets too when it stands in a column of its own. "0-10:2" has a stride.
Result<void> parse_elements(std::string_view text, SlurmId& id) {
  const std::string_view whole = text;
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    id.in_brackets = true;
  }
  const std::size_t percent = text.find('%');
  if (percent != std::string_view::npos) {
    const Result<std::int64_t> most = parse_integer(text.substr(percent + 1), 0, kMostNumber);
    if (!most) return bad_id(whole);
    id.throttle = *most;
    text = text.substr(0, percent);
  }
  // A long list is cut by Slurm itself: "1,3,5,..."
  if (text.ends_with(",...")) text.remove_suffix(4);
  if (text.empty()) return bad_id(whole);
  for (const std::string_view part : split_outside(text, ',')) {
    const std::size_t colon = part.find(':');
    const Result<Range> range = parse_range(part.substr(0, colon));
    Result<std::int64_t> stride = 1;
    if (colon != std::string_view::npos) {
      stride = parse_integer(part.substr(colon + 1), 1, kMostNumber);
    }
    if (!range || !stride) return bad_id(whole);
    const std::int64_t count = (range->last - range->first) / *stride + 1;
    if (count > static_cast<std::int64_t>(kMostElements - id.elements.size())) {
      return base::fail(fmt::format("{} has more than {} elements", shown(whole), kMostElements));
    }
    for (std::int64_t i = range->first; i <= range->last; i += *stride) id.elements.push_back(i);
  }
  return {};
}

}  // namespace

Result<SlurmId> parse_slurm_id(std::string_view text) {
  SlurmId id;
  const std::string_view whole = text;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const Result<std::int64_t> number = parse_integer(text.substr(0, digits), 1, kMostNumber);
  if (!number) return bad_id(whole);
  id.number = *number;
  text.remove_prefix(digits);
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    id.is_step = true;
    if (point + 1 == text.size()) return bad_id(whole);
    text = text.substr(0, point);
  }
  if (text.starts_with('_')) {
    if (Result<void> done = parse_elements(text.substr(1), id); !done) {
      return tl::unexpected(done.error());
    }
  } else if (text.starts_with('+')) {
    const Result<std::int64_t> part = parse_integer(text.substr(1), 0, 1'000'000);
    if (!part) return bad_id(whole);
    id.part = *part;
  } else if (!text.empty()) {
    return bad_id(whole);
  }
  return id;
}

bool SlurmJob::same_as(const SlurmJob& other) const {
  return id == other.id && name == other.name && user == other.user && account == other.account &&
         partition == other.partition && qos == other.qos && cluster == other.cluster &&
         node_names == other.node_names && after == other.after &&
         submit_line == other.submit_line && outcome == other.outcome && submit == other.submit &&
         eligible == other.eligible && start == other.start && end == other.end &&
         elapsed == other.elapsed && limit == other.limit && nodes == other.nodes &&
         cpus == other.cpus && requested == other.requested && allocated == other.allocated;
}

}  // namespace headroom::formats

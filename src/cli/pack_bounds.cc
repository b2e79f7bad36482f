#include "cli/pack_bounds.h"

#include <charconv>

#include "formats/csv.h"

namespace headroom::cli {

namespace {

enum Field : std::size_t { kList, kPrefix, kFree };

base::Result<double> percentage(const formats::Csv& csv, std::size_t field) {
  const std::string_view text = csv.field(field);
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !(value >= 0 && value <= 100)) {
    return csv.bad(field, "'" + std::string(text) + "' is not a number in 0..100");
  }
  return value;
}

}  // namespace

base::Result<std::map<std::string, Bound>> read_bounds(const std::string& name,
                                                       const std::string& text) {
  auto csv = formats::Csv::open(name, text,
                                {.required = {"list", "prefix_bound", "free_bound_100"},
                                 .ignored = {"prefix_share", "free_bound_130"}});
  if (!csv) return tl::unexpected(csv.error());
  std::map<std::string, Bound> bounds;
  while (true) {
    const auto more = csv->next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return bounds;
    const auto prefix = percentage(*csv, kPrefix);
    if (!prefix) return tl::unexpected(prefix.error());
    const auto free = percentage(*csv, kFree);
    if (!free) return tl::unexpected(free.error());
    const std::string list(csv->field(kList));
    if (!bounds.emplace(list, Bound{.prefix = *prefix, .free = *free}).second) {
      return csv->bad(kList, "'" + list + "' is there twice");
    }
  }
}

}  // namespace headroom::cli

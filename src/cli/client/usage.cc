// headroom usage: GPU-hours by queue, user, kind and model.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/values.h"
#include "cli/client_verbs.h"
#include "formats/quantity.h"
#include "formats/time.h"

namespace headroom::cli {

namespace {

struct UsageOptions {
  ServerFlags server;
  OutputFlags output;
  std::string from;
  std::string to;
  std::vector<std::string> by;
  bool focus = false;
};

// "2026-11-01" stays; "7d" is so long ago.
base::Result<std::string> moment(const std::string& text, const char* flag) {
  if (text.empty()) return text;
  if (const auto time = formats::parse_time(text)) return formats::print_time(*time);
  if (const auto ago = formats::parse_duration(text)) {
    return formats::print_time(base::Time{now().value() - ago->value()});
  }
  return base::fail(
      fmt::format("{}: '{}' is not a time (2026-11-01, 2026-11-01T08:00Z) or how "
                  "long ago (7d)",
                  flag, text));
}

// Grouping first, then hours.
std::vector<ItemColumn> columns_of(const std::vector<Json>& rows) {
  std::vector<ItemColumn> columns;
  if (rows.empty()) return columns;
  for (const auto& [key, value] : rows.front().items()) {
    std::string title = key;
    for (char& c : title) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
    ItemColumn column{.key = key, .title = title, .left = !value.is_number()};
    if (value.is_number_float()) {
      column.cell = [key = key](const Json& row) {
        const Json* const cell = field_at(row, key);
        return cell != nullptr && cell->is_number() ? fmt::format("{:.2f}", cell->get<double>())
                                                    : std::string("-");
      };
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

int run_usage(const UsageOptions& options) {
  const auto from = moment(options.from, "--from");
  const auto to = moment(options.to, "--to");
  if (!from) return fail_with({kUsage, from.error().message});
  if (!to) return fail_with({kUsage, to.error().message});
  std::string by;
  for (const std::string& one : options.by) by += (by.empty() ? "" : ",") + one;
  return with_client(options.server, [&](Client& client) {
    Query query{{"from", *from}, {"to", *to}, {"by", by}};
    if (options.focus) {
      query.emplace_back("format", "focus-1.2");
      const Reply<std::string> text = client.get_text("/usage", query);
      return text ? put(*text) : fail_with(text.error());
    }
    Reply<Listing> listing = client.list("/usage", query);
    if (!listing) return fail_with(listing.error());
    const std::vector<ItemColumn> columns = columns_of(listing->items);
    return print_items(columns, std::move(*listing), options.output, "no usage in this time");
  });
}

}  // namespace

Command usage_command() {
  const auto options = std::make_shared<UsageOptions>();
  std::vector<Flag> flags{{"--from", "TIME", "2026-11-01, or 7d for so long ago", &options->from},
                          {"--to", "TIME", "default: now", &options->to},
                          {"--by", "WHAT,...", "queue, user, kind, gpu_model", &options->by},
                          {"--focus", "", "FOCUS 1.2 as CSV, for a cost tool", &options->focus}};
  flags = joined(std::move(flags), output_flags(options->output, true));
  return {.name = "usage",
          .summary = "Sum up GPU-hours: allocated, useful, wasted by cause",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"usage --from 7d --by queue,user", "of the last week"}},
          .run = [options] { return run_usage(*options); }};
}

}  // namespace headroom::cli

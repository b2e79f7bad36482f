#include "server/api/focus.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "formats/time.h"

namespace headroom::server::api {

namespace {

using Row = std::vector<std::pair<std::string, std::string>>;

constexpr double kMilliMsOfHour = 1000.0 * 3'600'000.0;

std::string hours(std::int64_t milli_ms) {
  return fmt::format("{:.6f}", static_cast<double>(milli_ms) / kMilliMsOfHour);
}

// RFC 4180. A text that a spreadsheet would take for a formula is told to be a text.
std::string cell(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    text.insert(0, "'");
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// What every row has, in FOCUS' own names.
Row row_of(const store::UsageQuery& query, const std::string& cluster, const std::string& gpu_model,
           std::int64_t allocated) {
  const std::string from = formats::print_time(query.from);
  const std::string to = formats::print_time(query.to);
  const std::string quantity = hours(allocated);
  return {{"BilledCost", "0"},
          {"EffectiveCost", "0"},
          {"ListCost", "0"},
          {"ContractedCost", "0"},
          {"BillingAccountId", cluster},
          {"BillingAccountName", cluster},
          {"BillingCurrency", "XXX"},
          {"BillingPeriodStart", from},
          {"BillingPeriodEnd", to},
          {"ChargePeriodStart", from},
          {"ChargePeriodEnd", to},
          {"ChargeCategory", "Usage"},
          {"ChargeClass", ""},
          {"ChargeFrequency", "Usage-Based"},
          {"ConsumedQuantity", quantity},
          {"ConsumedUnit", "GPU-Hours"},
          {"PricingQuantity", quantity},
          {"PricingUnit", "GPU-Hours"},
          {"PricingCategory", "Standard"},
          {"ProviderName", cluster},
          {"PublisherName", cluster},
          {"InvoiceIssuerName", cluster},
          {"ServiceCategory", "AI and Machine Learning"},
          {"ServiceName", "GPU cluster"},
          {"ResourceType", "GPU"},
          {"SkuId", gpu_model.empty() ? "CPU" : gpu_model}};
}

void add(Row& row, const char* key, std::string value) { row.emplace_back(key, std::move(value)); }

void print(const Row& row, std::string& csv) {
  if (csv.empty()) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i > 0 ? "," : "") + row[i].first;
    csv += "\r\n";
  }
  for (std::size_t i = 0; i < row.size(); ++i) csv += (i > 0 ? "," : "") + cell(row[i].second);
  csv += "\r\n";
}

}  // namespace

std::string focus_csv(const store::Usage& usage, const store::UsageQuery& query,
                      const std::string& cluster) {
  std::string csv;
  std::map<std::string, std::int64_t> allocated;  // by GPU model
  const auto finish = [&](Row row, const std::string& description, const std::string& queue,
                          const std::string& user, const std::string& kind,
                          const store::UsageParts& parts) {
    add(row, "ChargeDescription", description);
    add(row, "SubAccountId", queue);
    add(row, "SubAccountName", queue);
    add(row, "SubAccountType", "Queue");
    add(row, "x_User", user);
    add(row, "x_JobKind", kind);
    add(row, "x_UsefulGpuHours", hours(parts.useful));
    add(row, "x_PreemptedGpuHours", hours(parts.preempted));
    add(row, "x_FailedGpuHours", hours(parts.failed));
    add(row, "x_CancelledGpuHours", hours(parts.cancelled));
    add(row, "x_IdleHeldGpuHours", hours(parts.idle_held));
    add(row, "x_RunningGpuHours", hours(parts.running));
    print(row, csv);
  };
  for (const store::UsageRow& one : usage.rows) {
    if (one.parts.allocated == 0) continue;
    allocated[one.gpu_model] += one.parts.allocated;
    finish(row_of(query, cluster, one.gpu_model, one.parts.allocated),
           fmt::format("{} of {} in {}", one.gpu_model, one.user, one.queue), one.queue, one.user,
           one.kind ? std::string(model::to_text(*one.kind)) : std::string(), one.parts);
  }
  for (const store::CapacityRow& one : usage.capacity) {
    const std::int64_t idle = one.capacity - one.down - allocated[one.gpu_model];
    if (one.gpu_model.empty() || idle <= 0) continue;
    finish(row_of(query, cluster, one.gpu_model, idle), one.gpu_model + " idle", "", "", "idle",
           {});
  }
  return csv;
}

}  // namespace headroom::server::api

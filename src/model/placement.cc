#include "model/placement.h"

#include <charconv>

namespace headroom::model {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || number < 0 || text.front() == '-') return std::nullopt;
  return number;
}

}  // namespace

std::string to_text(JobId id) {
  const std::string number = std::to_string(id.number);
  return id.element < 0 ? number : number + "." + std::to_string(id.element);
}

std::optional<JobId> parse_job_id(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto number = parse_number(text.substr(0, dot));
  if (!number) return std::nullopt;
  if (dot == std::string_view::npos) return JobId{*number, -1};
  const auto element = parse_number(text.substr(dot + 1));
  if (!element) return std::nullopt;
  return JobId{*number, *element};
}

}  // namespace headroom::model

#include "store/page_mark.h"

#include "base/archive.h"
#include "model/archive.h"

namespace headroom::store {

constexpr auto members(std::type_identity<PageMark>) {
  return std::tuple(&PageMark::order, &PageMark::descending, &PageMark::number_key, &PageMark::text,
                    &PageMark::id);
}

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

PageMark mark_of(const JobRow& row, JobOrder order, bool descending) {
  PageMark mark{.order = order, .descending = descending, .id = row.id};
  switch (order) {
    case JobOrder::kId:
      break;
    case JobOrder::kName:
      mark.text = row.name;
      break;
    case JobOrder::kQueue:
      mark.text = row.queue;
      break;
    case JobOrder::kUser:
      mark.text = row.user;
      break;
    case JobOrder::kState:
      mark.number_key = static_cast<std::int64_t>(row.state);
      break;
    case JobOrder::kPriority:
      mark.number_key = row.priority;
      break;
    case JobOrder::kGpus:
      mark.number_key = row.gpus.value();
      break;
    case JobOrder::kSubmitted:
      mark.number_key = row.submitted.value();
      break;
    case JobOrder::kStarted:
      mark.number_key = row.started.value();
      break;
    case JobOrder::kEnded:
      mark.number_key = row.ended.value();
      break;
  }
  return mark;
}

std::string write_mark(const PageMark& mark) {
  base::Writer out;
  out.put(mark);
  std::string word;
  for (const char c : out.bytes()) {
    const auto byte = static_cast<unsigned char>(c);
    word += kDigits[byte >> 4U];
    word += kDigits[byte & 15U];
  }
  return word;
}

base::Result<PageMark> read_mark(const std::string& word) {
  const auto wrong = base::fail("continue: '" + word.substr(0, 40) + "' is not what a list gave");
  if (word.size() % 2 != 0) return wrong;
  std::string bytes;
  for (std::size_t i = 0; i < word.size(); i += 2) {
    const std::size_t high = kDigits.find(word[i]);
    const std::size_t low = kDigits.find(word[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return wrong;
    bytes += static_cast<char>(high << 4U | low);
  }
  base::Reader in(bytes);
  auto mark = in.get<PageMark>();
  if (!in.ok() || !in.at_end() || mark.order > JobOrder::kEnded) return wrong;
  return mark;
}

}  // namespace headroom::store

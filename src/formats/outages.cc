#include "formats/outages.h"

#include <fmt/format.h>

#include <set>

#include "formats/csv.h"
#include "formats/message.h"
#include "formats/names.h"
#include "formats/spelling.h"
#include "formats/time.h"

namespace headroom::formats {

using base::Result;
using base::Time;

Result<Rows<std::vector<NodeOutage>>> read_outages(const std::string& name, const std::string& text,
                                                   const std::vector<std::string>& nodes,
                                                   Strictness strictness) {
  enum : std::size_t { kNode, kFrom, kTo };
  Result<Csv> csv = Csv::open(name, text, {.required = {"node", "from", "to"}, .quotes = true});
  if (!csv) return tl::unexpected(csv.error());
  const std::set<std::string> known(nodes.begin(), nodes.end());
  Rows<std::vector<NodeOutage>> rows;
  const auto read_row = [&]() -> Result<void> {
    const Result<std::vector<std::string>> names = expand_names(csv->field(kNode));
    if (!names) return csv->bad(kNode, names.error().message);
    for (const std::string& one : *names) {
      if (known.contains(one)) continue;
      return csv->bad(kNode, fmt::format("there is no node {}{}", shown(one), hint(one, nodes)));
    }
    const Result<Time> from = parse_time(csv->field(kFrom));
    if (!from) return csv->bad(kFrom, from.error().message);
    const Result<Time> to = parse_time(csv->field(kTo));
    if (!to) return csv->bad(kTo, to.error().message);
    if (*to <= *from) return csv->bad(kTo, "it is not after from");
    for (const std::string& one : *names) rows.value.push_back({one, *from, *to});
    return {};
  };
  if (Result<void> done = for_each_row(*csv, strictness, rows, read_row); !done) {
    return tl::unexpected(done.error());
  }
  return rows;
}

}  // namespace headroom::formats

#include "store/record_row.h"

#include <fmt/format.h>

#include "base/archive.h"
#include "base/digest.h"
#include "model/archive.h"

namespace headroom::store {

namespace {

std::uint64_t check_of(const RecordRow& row, std::uint64_t check_before) {
  base::Digest digest;
  digest.add(check_before);
  digest.add(row.sequence);
  digest.add(row.version);
  digest.add(row.time.value());
  digest.add(digest_of(row.bytes));
  return digest.value();
}

}  // namespace

std::uint64_t digest_of(std::string_view bytes) {
  base::Digest digest;
  digest.add(std::uint64_t{bytes.size()});
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, 8);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(piece[i])} << (8 * i);
    }
    digest.add(word);
    bytes.remove_prefix(piece.size());
  }
  return digest.value();
}

RecordRow write_record(const model::Record& record, std::uint64_t check_before) {
  base::Writer out;
  out.put(record.what);
  RecordRow row{.sequence = record.sequence,
                .version = model::kArchiveVersion,
                .time = record.time,
                .bytes = out.bytes()};
  row.check = check_of(row, check_before);
  return row;
}

base::Result<model::Record> read_record(const RecordRow& row, std::uint64_t check_before) {
  const auto wrong = [&](const std::string& what) {
    return base::fail(fmt::format("record {}: {}", row.sequence, what));
  };
  if (check_of(row, check_before) != row.check) {
    return wrong("it is damaged: its checksum is not that of what it holds");
  }
  if (row.version < 1 || row.version > model::kArchiveVersion) {
    return wrong(fmt::format("its version is {}; this program reads 1 to {}", row.version,
                             model::kArchiveVersion));
  }
  base::Reader in(row.bytes, row.version);
  model::Record record{.sequence = row.sequence, .time = row.time, .what = {}};
  in.read(record.what);
  if (!in.ok() || !in.at_end()) return wrong("it is not what this program writes");
  return record;
}

}  // namespace headroom::store

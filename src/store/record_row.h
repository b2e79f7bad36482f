// RecordRow: a record as it stands in the journal. `check` is a digest of the row and of the
// `check` of the row before it, so that a record that was changed, left out or put elsewhere is
// found, and the last `check` stands for the whole journal up to there.
//
// Rows of every version up to this program's are read (model/archive.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/record.h"

namespace headroom::store {

struct RecordRow {
  std::uint64_t sequence = 0;
  std::int64_t version = 0;
  base::Time time;
  std::string bytes;  // Record::what
  std::uint64_t check = 0;
};

// The `check` before the first record.
constexpr std::uint64_t kFirstCheck = 0;

RecordRow write_record(const model::Record& record, std::uint64_t check_before);

// The error says what is wrong with it ("record 17: …"). Any bytes may come in.
base::Result<model::Record> read_record(const RecordRow& row, std::uint64_t check_before);

// A digest of any length of bytes, eight at a time.
std::uint64_t digest_of(std::string_view bytes);

}  // namespace headroom::store

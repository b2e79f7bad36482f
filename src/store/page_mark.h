// PageMark: where a list of jobs goes on: the last row of the page before, as its reader sees it an
// opaque word.
#pragma once

#include <string>

#include "store/reader.h"

namespace headroom::store {

struct PageMark {
  JobOrder order = JobOrder::kId;
  bool descending = false;
  std::int64_t number_key = 0;  // what the order goes by,
  std::string text;             // in one of the two
  model::JobId id;
};

PageMark mark_of(const JobRow& row, JobOrder order, bool descending);
std::string write_mark(const PageMark& mark);
base::Result<PageMark> read_mark(const std::string& word);

}  // namespace headroom::store

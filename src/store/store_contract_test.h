// What every store must do (store.h), for SQLite as for those that come later. A store takes part
// by a Place, in which it can be opened again and again:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(make_place));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "store/store.h"

namespace headroom::store {

class Place {
 public:
  virtual ~Place() = default;
  // A new writer on what is there.
  virtual base::Result<std::unique_ptr<Store>> open() = 0;
  // Another one beside one that is open (which `open` may refuse), as if from another machine.
  virtual base::Result<std::unique_ptr<Store>> open_beside() = 0;
};

using MakePlace = std::function<std::unique_ptr<Place>()>;

class StoreContract : public testing::TestWithParam<MakePlace> {
 protected:
  void SetUp() override;
  void reopen();
  Store& store() { return *store_; }

  std::unique_ptr<Place> place_;
  std::unique_ptr<Store> store_;
};

// Record number `sequence` of a small made-up journal: jobs that come, start and end.
model::Record sample_record(std::uint64_t sequence);
std::vector<model::Record> sample_records(std::uint64_t first, std::uint64_t last);
// The nodes it runs on.
model::Cluster sample_cluster();
// The first state.
Batch first_batch();
AuditEntry sample_audit(std::int64_t n);

// All records after `sequence`.
base::Result<std::vector<model::Record>> read_all(Store& store, std::uint64_t sequence = 0);

}  // namespace headroom::store

// Projection: the tables that answer questions about jobs and use (job_row.h, usage.h), kept up to
// date record by record, in the transaction that writes the records. What they hold follows from
// the first state's nodes and the records alone, so that they can be made anew (rebuild.h).
//
// The rules of a job's life are those of schedule/changes_*.cc; tests/store_projection_test.cc
// lives random lives and compares.
//
//   apply   O(tasks of the job); a node's failure: O(tasks on the node)
#pragma once

#include <memory>

#include "base/result.h"
#include "model/cluster.h"
#include "model/record.h"
#include "store/sqlite.h"

namespace headroom::store {

// The tables; schema.h makes them.
extern const char* const kProjectionTables;

class Projection {
 public:
  explicit Projection(Database& db);
  ~Projection();

  // The nodes of the first state; before any record.
  void set_cluster(const model::Cluster& cluster, base::Time time);

  // What is wrong is in the database's error.
  void apply(const model::Record& record);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace headroom::store

#include "store/projection.h"

namespace headroom::store {

// Times are ms since 1970, GPUs and cores thousandths; `changed` is the sequence of the record that
// wrote the row last; 4611686018427387904 (kOpen) stands for an end that has not come. State 5 is
// the first that is final (job_row.h). `stop` and `reject` are reasons + 1.
const char* const kProjectionTables = R"(
CREATE TABLE jobs (
  number INTEGER NOT NULL, element INTEGER NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL,
  user TEXT NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL, priority INTEGER NOT NULL,
  tasks INTEGER NOT NULL, gpus INTEGER NOT NULL, gpu_model TEXT NOT NULL,
  submitted INTEGER NOT NULL, started INTEGER NOT NULL DEFAULT 0,
  ended INTEGER NOT NULL DEFAULT 0, attempt INTEGER NOT NULL DEFAULT 0,
  nodes TEXT NOT NULL DEFAULT '', exit_code INTEGER NOT NULL DEFAULT 0,
  signal INTEGER NOT NULL DEFAULT 0, stop INTEGER NOT NULL DEFAULT 0,
  reject INTEGER NOT NULL DEFAULT 0, needs INTEGER NOT NULL DEFAULT 0,
  most INTEGER NOT NULL DEFAULT 0, planned INTEGER NOT NULL DEFAULT 0,
  retries INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0, spec INTEGER NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (number, element)) WITHOUT ROWID;
CREATE INDEX jobs_live ON jobs (number, element) WHERE state < 5;
CREATE INDEX jobs_live_user ON jobs (user, number, element) WHERE state < 5;
CREATE INDEX jobs_ended ON jobs (ended) WHERE state >= 5;
CREATE INDEX jobs_ended_user ON jobs (user, ended) WHERE state >= 5;

-- What was asked for: by the record that said so; the elements of an array share one.
CREATE TABLE specs (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, bytes BLOB NOT NULL);

CREATE TABLE allocations (
  number INTEGER NOT NULL, element INTEGER NOT NULL, attempt INTEGER NOT NULL,
  placed INTEGER NOT NULL, started INTEGER NOT NULL DEFAULT 0,
  stopping INTEGER NOT NULL DEFAULT 0, ended INTEGER NOT NULL DEFAULT 0,
  outcome INTEGER NOT NULL DEFAULT 0, exit_code INTEGER NOT NULL DEFAULT 0,
  signal INTEGER NOT NULL DEFAULT 0, out_of_memory INTEGER NOT NULL DEFAULT 0,
  detail TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0,
  for_number INTEGER NOT NULL DEFAULT 0, for_element INTEGER NOT NULL DEFAULT -1,
  kept INTEGER NOT NULL DEFAULT 0, waste INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL, placement BLOB NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (number, element, attempt)) WITHOUT ROWID;

-- Events of a job that its row and its allocations do not tell.
CREATE TABLE events (
  number INTEGER NOT NULL, element INTEGER NOT NULL, changed INTEGER NOT NULL,
  time INTEGER NOT NULL, what INTEGER NOT NULL, attempt INTEGER NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (number, element, changed)) WITHOUT ROWID;

-- What an attempt held of one GPU model ('': cores only) for a time in which it did not change.
CREATE TABLE uses (
  number INTEGER NOT NULL, element INTEGER NOT NULL, attempt INTEGER NOT NULL,
  since INTEGER NOT NULL, gpu_model TEXT NOT NULL, gpus INTEGER NOT NULL, cpus INTEGER NOT NULL,
  until INTEGER NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (number, element, attempt, since, gpu_model)) WITHOUT ROWID;
CREATE INDEX uses_until ON uses (until);

-- Tasks that hold resources now. `mask`: a bit for each GPU of the node.
CREATE TABLE held (
  number INTEGER NOT NULL, element INTEGER NOT NULL, task_group INTEGER NOT NULL,
  task INTEGER NOT NULL, attempt INTEGER NOT NULL, node INTEGER NOT NULL, mask INTEGER NOT NULL,
  gpus INTEGER NOT NULL, cpus INTEGER NOT NULL, gpu_model TEXT NOT NULL,
  PRIMARY KEY (number, element, task_group, task)) WITHOUT ROWID;
CREATE INDEX held_node ON held (node);

CREATE TABLE gpu_models (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- What a node had, and whether it was there for jobs, for a time in which that did not change. A node
-- that was removed has no row that is open.
CREATE TABLE nodes (
  node INTEGER NOT NULL, since INTEGER NOT NULL, name TEXT NOT NULL, gpu_model TEXT NOT NULL,
  gpus INTEGER NOT NULL, cpus INTEGER NOT NULL, failed INTEGER NOT NULL, until INTEGER NOT NULL,
  changed INTEGER NOT NULL, PRIMARY KEY (node, since)) WITHOUT ROWID;
)";

}  // namespace headroom::store

// The prepared statements of the projection.
#pragma once

#include "store/sqlite.h"

namespace headroom::store {

struct ProjectionStatements {
  explicit ProjectionStatements(Database& db);

  Statement insert_job, find_job, change_job, set_state, finish_job, cancel_job, start_job,
      job_runs, job_ended, requeue_job, stop_job, plan_job, reject_job, job_holds;
  Statement insert_spec, find_spec, insert_event;
  Statement insert_allocation, find_allocation, set_placement, allocation_runs, allocation_stops,
      end_allocation;
  Statement hold, drop_task, drop_all, sum_held, held_on, close_uses, forget_empty_uses, open_uses;
  Statement insert_node, close_node, forget_empty_node;
};

}  // namespace headroom::store

#include "store/projection_statements.h"

namespace headroom::store {

ProjectionStatements::ProjectionStatements(Database& db)
    : insert_job(db,
                 "INSERT INTO jobs (number, element, name, queue, user, kind, state, priority, "
                 "tasks, gpus, gpu_model, submitted, retries, spec, changed) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      find_job(db,
               "SELECT state, attempt, retries, failures, cancelled, spec, planned FROM jobs "
               "WHERE number = ? AND element = ?"),
      change_job(db,
                 "UPDATE jobs SET name = ?, queue = ?, user = ?, kind = ?, priority = ?, "
                 "tasks = ?, gpus = ?, gpu_model = ?, retries = ?, spec = ?, planned = 0, "
                 "changed = ? WHERE number = ? AND element = ?"),
      set_state(db, "UPDATE jobs SET state = ?, changed = ? WHERE number = ? AND element = ?"),
      finish_job(db,
                 "UPDATE jobs SET state = ?, ended = ?, planned = 0, changed = ? "
                 "WHERE number = ? AND element = ?"),
      cancel_job(db, "UPDATE jobs SET cancelled = 1, changed = ? WHERE number = ? AND element = ?"),
      start_job(db,
                "UPDATE jobs SET state = ?, attempt = ?, started = 0, stop = 0, exit_code = 0, "
                "signal = 0, planned = 0, changed = ? WHERE number = ? AND element = ?"),
      job_runs(db,
               "UPDATE jobs SET state = ?, started = ?, changed = ? "
               "WHERE number = ? AND element = ?"),
      job_ended(db,
                "UPDATE jobs SET exit_code = ?, signal = ?, changed = ? "
                "WHERE number = ? AND element = ?"),
      requeue_job(db,
                  "UPDATE jobs SET state = ?, failures = ?, started = 0, planned = 0, nodes = '', "
                  "changed = ? WHERE number = ? AND element = ?"),
      stop_job(db,
               "UPDATE jobs SET state = ?, stop = ?, changed = ? "
               "WHERE number = ? AND element = ?"),
      plan_job(db, "UPDATE jobs SET planned = ?, changed = ? WHERE number = ? AND element = ?"),
      reject_job(db,
                 "UPDATE jobs SET reject = ?, needs = ?, most = ? "
                 "WHERE number = ? AND element = ?"),
      job_holds(db,
                "UPDATE jobs SET nodes = ?, gpus = ?, gpu_model = ?, changed = ? "
                "WHERE number = ? AND element = ?"),
      insert_spec(db, "INSERT INTO specs VALUES (?, ?, ?)"),
      find_spec(db, "SELECT version, bytes FROM specs WHERE id = ?"),
      insert_event(db, "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"),
      insert_allocation(db,
                        "INSERT INTO allocations (number, element, attempt, placed, version, "
                        "placement, changed) VALUES (?, ?, ?, ?, ?, ?, ?)"),
      find_allocation(db,
                      "SELECT placed, started, stopping, stop, version, placement "
                      "FROM allocations WHERE number = ? AND element = ? AND attempt = ?"),
      set_placement(db,
                    "UPDATE allocations SET version = ?, placement = ?, changed = ? "
                    "WHERE number = ? AND element = ? AND attempt = ?"),
      allocation_runs(db,
                      "UPDATE allocations SET started = ?, changed = ? "
                      "WHERE number = ? AND element = ? AND attempt = ? AND started = 0"),
      allocation_stops(db,
                       "UPDATE allocations SET stopping = ?, stop = ?, for_number = ?, "
                       "for_element = ?, changed = ? "
                       "WHERE number = ? AND element = ? AND attempt = ? AND stopping = 0"),
      end_allocation(db,
                     "UPDATE allocations SET ended = ?, outcome = ?, exit_code = ?, signal = ?, "
                     "out_of_memory = ?, detail = ?, kept = ?, waste = ?, changed = ? "
                     "WHERE number = ? AND element = ? AND attempt = ?"),
      hold(db, "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      drop_task(db,
                "DELETE FROM held WHERE number = ? AND element = ? AND task_group = ? "
                "AND task = ?"),
      drop_all(db, "DELETE FROM held WHERE number = ? AND element = ?"),
      sum_held(db,
               "SELECT gpu_model, sum(gpus) FROM held WHERE number = ? AND element = ? "
               "GROUP BY gpu_model ORDER BY sum(gpus) DESC, gpu_model"),
      held_on(db,
              "SELECT number, element, attempt, task_group, task FROM held "
              "WHERE node = ?1 AND (?2 = 0 OR mask & ?2) ORDER BY 1, 2, 4, 5"),
      close_uses(db,
                 "UPDATE uses SET until = ?1, changed = ?2 WHERE number = ?3 AND element = ?4 "
                 "AND attempt = ?5 AND until = ?6"),
      forget_empty_uses(db,
                        "DELETE FROM uses WHERE number = ?1 AND element = ?2 AND attempt = ?3 "
                        "AND since = ?4 AND until = ?4"),
      open_uses(db,
                "INSERT INTO uses SELECT number, element, ?3, ?4, gpu_model, sum(gpus), "
                "sum(cpus), ?5, ?6 FROM held WHERE number = ?1 AND element = ?2 "
                "GROUP BY gpu_model"),
      insert_node(db, "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      close_node(db, "UPDATE nodes SET until = ?, changed = ? WHERE node = ? AND until = ?"),
      forget_empty_node(db, "DELETE FROM nodes WHERE node = ?1 AND since = ?2 AND until = ?2") {}

}  // namespace headroom::store

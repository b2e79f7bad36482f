#include "server/api/schema.h"

#include "formats/job_yaml.h"

namespace headroom::server::api {

using formats::Value;

namespace {

Value typed(std::string_view type) { return Value::map({{"type", Value::string(type)}}); }

}  // namespace

Value text() { return typed("string"); }
Value whole() { return typed("integer"); }
Value number() { return typed("number"); }
Value flag() { return typed("boolean"); }

Value text_one_of(const std::vector<std::string>& values) {
  Value schema = typed("string");
  Value& allowed = schema.set("enum", Value::list());
  for (const std::string& one : values) allowed.items.push_back(Value::string(one));
  return schema;
}

Value moment() {
  Value schema = typed("string");
  schema.set("format", Value::string("date-time"));
  return schema;
}

Value list_of(Value items) {
  Value schema = typed("array");
  schema.set("items", std::move(items));
  return schema;
}

Value object(const std::vector<Member>& members) {
  Value schema = typed("object");
  Value& properties = schema.set("properties", Value::map());
  Value required = Value::list();
  for (const Member& one : members) {
    Value property = one.schema;
    if (!one.says.empty()) property.set("description", Value::string(one.says));
    properties.set(one.name, std::move(property));
    if (one.always) required.items.push_back(Value::string(one.name));
  }
  if (!required.items.empty()) schema.set("required", std::move(required));
  schema.set("additionalProperties", Value::boolean(false));
  return schema;
}

Value reference(const std::string& name) {
  return Value::map({{"$ref", Value::string("#/components/schemas/" + name)}});
}

Value page_of(const std::string& name) {
  return object({{"items", list_of(reference(name)), ""},
                 {"continue", text(), "where the next page begins; none: this is the last", false},
                 {"observed", moment(), "when this was so"}});
}

namespace {

Value reason_schema() {
  return object({{"code", text(), "quota, resources, fragmentation, topology, reservation, …"},
                 {"text", text(), "one line with numbers"}});
}

std::vector<Member> job_members() {
  return {
      {"id", text(), "1041, or 1041.7 of an array"},
      {"name", text(), ""},
      {"queue", text(), ""},
      {"user", text(), ""},
      {"kind", text_one_of({"training", "fine-tuning", "batch", "service", "workspace"}), ""},
      {"state",
       text_one_of({"waiting", "held", "launching", "running", "stopping", "completed", "failed",
                    "cancelled", "timed_out", "rejected"}),
       ""},
      {"priority", whole(), ""},
      {"tasks", whole(), ""},
      {"gpus", number(), "that it holds, held last, or asks for"},
      {"gpu_model", text(), "empty: none"},
      {"submitted", moment(), ""},
      {"started", moment(), "its latest attempt", false},
      {"ended", moment(), "", false},
      {"planned", moment(), "start that is reserved for it", false},
      {"attempt", whole(), "0: none yet"},
      {"nodes", list_of(text()), "of its latest attempt"},
      {"reason", reference("Reason"), "why it waits, or why it was rejected", false},
      {"exit_code", whole(), "of its latest attempt", false},
      {"signal", whole(), "that ended it", false},
      {"etag", text(), "changes whenever the job does"},
  };
}

Value job_detail() {
  std::vector<Member> members = job_members();
  members.push_back({"spec", reference("JobSpec"), "as it was submitted"});
  members.push_back({"timeline",
                     list_of(object({{"time", moment(), ""},
                                     {"event", text(), "submitted, placed, started, …"},
                                     {"attempt", whole(), "", false},
                                     {"detail", text(), "", false}})),
                     ""});
  members.push_back({"attempts",
                     list_of(object({{"attempt", whole(), ""},
                                     {"placed", moment(), "held resources from then on"},
                                     {"started", moment(), "", false},
                                     {"ended", moment(), "", false},
                                     {"outcome", text(), ""},
                                     {"exit_code", whole(), "", false},
                                     {"signal", whole(), "", false},
                                     {"out_of_memory", flag(), "", false},
                                     {"stopped", text(), "why it was told to stop", false},
                                     {"detail", text(), "", false},
                                     {"tasks",
                                      list_of(object({{"group", whole(), ""},
                                                      {"task", whole(), ""},
                                                      {"node", text(), ""},
                                                      {"gpus", list_of(whole()), ""}})),
                                      ""}})),
                     ""});
  return object(members);
}

Value node_schema() {
  return object({{"name", text(), ""},
                 {"pool", text(), ""},
                 {"state", text_one_of({"ready", "drained", "failed"}), ""},
                 {"gpu_model", text(), "empty: no GPUs"},
                 {"gpus", whole(), ""},
                 {"gpus_free", number(), ""},
                 {"cpus", number(), "cores"},
                 {"cpus_free", number(), ""},
                 {"memory_bytes", whole(), ""},
                 {"memory_free_bytes", whole(), ""},
                 {"labels", list_of(text()), "key=value"},
                 {"jobs", list_of(text()), "that run there"}});
}

Value gpu_schema() {
  return object({{"node", text(), ""},
                 {"index", whole(), ""},
                 {"model", text(), ""},
                 {"state", text_one_of({"idle", "allocated", "shared", "mig", "down"}), ""},
                 {"free", number(), "of the GPU that a share could take; 0 in MIG mode"},
                 {"jobs", list_of(text()), ""}});
}

Value pool_of_queue() {
  return object({{"pool", text(), ""},
                 {"unit", text_one_of({"gpus", "cores"}), ""},
                 {"guarantee", number(), ""},
                 {"limit", number(), "", false},
                 {"held", number(), "by its jobs and those of queues below it"},
                 {"borrowed", number(), "of that: above its guarantee"},
                 {"wanted", number(), "by its waiting jobs"}});
}

Value queue_schema() {
  return object({{"name", text(), ""},
                 {"weight", whole(), ""},
                 {"priority", whole(), ""},
                 {"running", whole(), "jobs, of queues below it as well"},
                 {"waiting", whole(), ""},
                 {"pools", list_of(pool_of_queue()), ""}});
}

std::vector<Member> usage_hours() {
  return {{"allocated_gpu_h", number(), ""},
          {"useful_gpu_h", number(), "work that counted"},
          {"preempted_gpu_h", number(), "lost because others were put first"},
          {"failed_gpu_h", number(), "lost because it failed, timed out or lost its node"},
          {"cancelled_gpu_h", number(), "lost because it was cancelled"},
          {"idle_held_gpu_h", number(), "held while nothing ran"},
          {"running_gpu_h", number(), "of attempts that are not over"},
          {"allocated_core_h", number(), ""}};
}

Value usage_schema() {
  std::vector<Member> row = {{"queue", text(), "", false},
                             {"user", text(), "", false},
                             {"kind", text(), "", false},
                             {"gpu_model", text(), "", false}};
  for (Member& one : usage_hours()) row.push_back(std::move(one));
  return object({{"from", moment(), ""},
                 {"to", moment(), ""},
                 {"items", list_of(object(row)), ""},
                 {"capacity",
                  list_of(object({{"gpu_model", text(), ""},
                                  {"capacity_gpu_h", number(), "of the nodes that there were"},
                                  {"down_gpu_h", number(), "of those, while they had failed"},
                                  {"node_h", number(), ""}})),
                  ""}});
}

Value token_schema() {
  return object({{"id", text(), ""},
                 {"name", text(), ""},
                 {"user", text(), ""},
                 {"scopes", list_of(text()), "empty: all that the user may"},
                 {"created", moment(), ""},
                 {"expires", moment(), "", false},
                 {"last_used", moment(), "", false},
                 {"revoked", flag(), ""},
                 {"token", text(), "the secret; shown once, when it is made", false}});
}

Value audit_schema() {
  return object({{"time", moment(), ""},
                 {"actor", text(), ""},
                 {"via", text(), ""},
                 {"address", text(), ""},
                 {"verb", text(), ""},
                 {"object", text(), ""},
                 {"outcome", text_one_of({"allowed", "refused"}), ""},
                 {"detail", text(), ""},
                 {"request", text(), ""}});
}

Value problem_schema() {
  return Value::map(
      {{"type", Value::string("object")},
       {"properties",
        Value::map({{"type", text()},
                    {"title", text()},
                    {"status", whole()},
                    {"detail", text()},
                    {"request_id", text()},
                    {"retryable", flag()},
                    {"errors", list_of(Value::map({{"type", Value::string("object")}}))}})},
       {"required", Value::list({Value::string("status"), Value::string("title")})}});
}

}  // namespace

Value all_schemas() {
  return Value::map(
      {{"Job", object(job_members())},
       {"JobDetail", job_detail()},
       {"JobSpec", formats::job_schema()},
       {"Reason", reason_schema()},
       {"Why", object({{"id", text(), ""},
                       {"state", text(), ""},
                       {"reason", reference("Reason"), "", false},
                       {"planned", moment(), "start that is reserved for it", false}})},
       {"Node", node_schema()},
       {"Gpu", gpu_schema()},
       {"Queue", queue_schema()},
       {"Usage", usage_schema()},
       {"Token", token_schema()},
       {"Role",
        object({{"subject", text(), "a user"},
                {"role", text_one_of({"viewer", "user", "queue-admin", "operator", "admin"}), ""},
                {"queue", text(), "and those below it; empty: the whole cluster"}})},
       {"AuditEntry", audit_schema()},
       {"Changes", object({{"changes", list_of(text()), "+ node n3, ~ queue research: limit, …"}})},
       {"Principal", object({{"user", text(), ""},
                             {"via", text(), "socket, or the token's id"},
                             {"roles", list_of(reference("Role")), ""}})},
       {"Status", object({{"version", text(), ""},
                          {"cluster", text(), ""},
                          {"epoch", whole(), "of this server"},
                          {"sequence", whole(), "of the last record"},
                          {"time", moment(), ""},
                          {"jobs", whole(), "that have not ended"},
                          {"durability", text(), ""},
                          {"limitations", list_of(text()), "what this machine cannot guarantee"}})},
       {"Problem", problem_schema()}});
}

}  // namespace headroom::server::api

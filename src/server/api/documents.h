// The API's documents (schema.h) from what the store and the state say.
#pragma once

#include <optional>
#include <string>

#include "formats/value.h"
#include "schedule/state.h"
#include "server/api/reason_text.h"
#include "store/job_row.h"
#include "store/store.h"
#include "store/usage.h"

namespace headroom::server::api {

formats::Value time_value(base::Time time);
// Thousandths as a decimal: 500 is 0.5.
formats::Value milli_value(std::int64_t milli);

std::string state_name(store::JobState state);
std::string stop_name(model::StopJob::Reason reason);

// `reason`: of a job that waits; a rejected job has its own.
formats::Value job_document(const store::JobRow& row, const std::optional<ReasonText>& reason);
std::string etag_of(const store::JobRow& row);

// Adds the spec, the timeline and the attempts.
void add_detail(formats::Value& document, const model::Job& spec,
                const std::vector<store::TimelineEntry>& timeline,
                const std::vector<store::AllocationRow>& attempts);

formats::Value node_document(const schedule::State& state, model::NodeId node);
formats::Value gpu_documents(const schedule::State& state, model::NodeId node);  // a list
formats::Value queue_document(const schedule::State& state, schedule::QueueId queue);
formats::Value usage_document(const store::Usage& usage, const store::UsageQuery& query);
formats::Value token_document(const store::Token& token);
formats::Value audit_document(const store::AuditEntry& entry);

}  // namespace headroom::server::api

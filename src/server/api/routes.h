// The routes of the API, by what they are about, and what several of them share.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/api/call.h"
#include "server/api/route.h"

namespace headroom::server::api {

std::vector<Route> job_routes();
std::vector<Route> job_change_routes();
std::vector<Route> log_routes();
std::vector<Route> node_routes();
std::vector<Route> queue_routes();
std::vector<Route> usage_routes();
std::vector<Route> cluster_routes();
std::vector<Route> access_routes();
std::vector<Route> event_routes();
std::vector<Route> status_routes();

RouteTable all_routes();

Parameter limit_parameter();  // 1 to 1000
Parameter continue_parameter();
Parameter dry_run_parameter();

formats::Value page_document(formats::Value items, const std::string& more, base::Time observed);

// The job of the path, if it is there and the caller may read it; else it is answered, and none.
std::optional<store::JobRow> readable_job(Call& call, store::Reader& reader);

// 422, with a line for each problem in `errors`.
net::Problem invalid_body(const base::Error& error);

}  // namespace headroom::server::api

// Reader of the multi-tenant trace that was derived from Microsoft's Philly trace: a folder with a
// file for each tenant (the tenant, and so the queue, is the file's stem), tab-separated, without a
// header:
//
//   job type · command · option of the steps · needs data · steps · arrival in seconds · GPUs
//
// How long a job runs is not in it: it is its steps divided by the throughput of (job type, GPUs)
// on a V100, measured alone and consolidated, from `../simulation_throughputs.json`. Jobs without a
// measurement are left out and counted. Times count from 1970-01-01T00:00Z. A job is one task that
// needs its GPUs in one node.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "formats/rows.h"
#include "model/history.h"

namespace headroom::formats {

// Steps per second by "('JOB TYPE', GPUS)".
using GavelThroughputs = std::map<std::string, double, std::less<>>;

// Those on a V100, alone.
base::Result<GavelThroughputs> read_gavel_throughputs(const std::string& name,
                                                      const std::string& text);

// Adds the jobs of one tenant's file.
base::Result<void> read_gavel_tenant(const std::string& name, const std::string& text,
                                     const GavelThroughputs& throughputs, Strictness strictness,
                                     model::History& history);

// The whole folder. Jobs are numbered from 1 in the order of their arrival.
base::Result<model::History> read_gavel(const std::string& folder, Strictness strictness);

}  // namespace headroom::formats

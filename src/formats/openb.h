// Readers of the openb trace: a node list (sn,cpu_milli,memory_mib,gpu,model) and task lists
// (name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,qos,pod_phase,…times]). A list without the
// gpu_spec column has no model constraints; other columns are not needed for placement.
//
// The GPU models of that trace are declared here and nowhere else, so a catalogue is not needed:
// G1, G2 and G3 are anonymous, so their memory is not known (0: nothing that names an amount of GPU
// memory fits them); P100, T4, V100M16, V100M32 and A10 have that of their data sheets (decimal GB,
// as printed). No node of the trace has more than 8 GPUs, so 9 are an error.
//
// The real lists have no carriage returns, no quotes and a newline at the end; anything else is a
// damaged file and an error.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/rows.h"
#include "model/cluster.h"
#include "model/request.h"

namespace headroom::formats {

// All models above are in the cluster's table, in that order, whether or not a node has them. Nodes
// keep the order of the file. A node's pool is its model's name, or `cpu`. `name` is used in
// messages only.
base::Result<Rows<model::Cluster>> read_openb_nodes(const std::string& name,
                                                    const std::string& text, Strictness);

// Tasks sorted by name. `A|B` becomes two accepted models, sorted; a model named twice stays twice,
// because the published experiment counts such tasks as a class of their own.
base::Result<Rows<std::vector<model::Task>>> read_openb_tasks(const std::string& name,
                                                              const std::string& text, Strictness);

// Whether the first line of a file is that of an openb node list, or of a task list.
bool looks_like_openb_nodes(const std::string& text);
bool looks_like_openb_tasks(const std::string& text);

}  // namespace headroom::formats

// Readers of the openb trace: a node list (sn,cpu_milli,memory_mib,gpu,model) and task lists
// (name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,qos,pod_phase,…times]). A list without the
// gpu_spec column has no model constraints; other columns are not needed for placement.
//
// The anonymous GPU models of that trace (G1, G2, G3) are declared here; the others are those of
// the catalogue's families (P100, T4, V100M16, V100M32, A10).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/request.h"

namespace headroom::formats {

// How strict a reader of rows is. A strict reader stops at the first bad row and names its file,
// line and column; a lenient one skips and counts it.
struct Strictness {
  bool lenient = false;
};

template <class T>
struct Rows {
  T value;
  std::int64_t skipped = 0;               // bad rows left out (lenient only)
  std::vector<std::string> first_errors;  // of the first few of them
};

// `name` is used in messages only.
base::Result<Rows<model::Cluster>> read_openb_nodes(const std::string& name,
                                                    const std::string& text, Strictness);

// Tasks sorted by name.
base::Result<Rows<std::vector<model::Task>>> read_openb_tasks(const std::string& name,
                                                              const std::string& text, Strictness);

}  // namespace headroom::formats

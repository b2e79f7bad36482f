// Opens a file of any kind that we read, recognised by its contents, for verbs that take "a node
// list" or "a task list" in whatever form it comes:
//
//   node lists   openb CSV, cluster.yaml
//   task lists   openb CSV, our own tasks.csv, job.yaml (one or several jobs)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/known.h"
#include "formats/rows.h"
#include "model/cluster.h"
#include "model/request.h"

namespace headroom::formats {

enum class FileKind : std::uint8_t { kOpenbNodes, kOpenbTasks, kTasksCsv, kClusterYaml, kJobYaml };

// By the first line of a CSV, or by the keys of a YAML. What is neither is taken for a job.yaml.
FileKind kind_of(const std::string& text);

// The file's text; refuses a YAML of more than 16 MiB and anything of more than 256 MiB.
base::Result<std::string> read_any_file(const std::string& path);

// Errors: what the readers say, or that the file is a task list.
base::Result<Rows<model::Cluster>> read_cluster(const std::string& path, Strictness);

// `cluster` is where the tasks shall run: they may name its GPU models besides the catalogue's.
// Tasks are sorted by name. Errors: what the readers say, or that the file is a node list.
base::Result<Rows<std::vector<model::Task>>> read_tasks(const std::string& path,
                                                        const model::Cluster& cluster, Strictness);

// The catalogue and the models of the cluster.
Known known_products(const model::Cluster& cluster);

}  // namespace headroom::formats

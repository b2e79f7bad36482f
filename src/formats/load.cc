#include "formats/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/file.h"
#include "formats/job_yaml.h"
#include "formats/openb.h"
#include "formats/tasks.h"
#include "formats/yaml.h"

namespace headroom::formats {

using base::Result;
using model::Cluster;
using model::Task;

namespace {

// The top-level keys of our YAML stand at the beginning of a line (block style); looking for them
// spares parsing a file twice.
bool has_top_key(const std::string& text, std::string_view key) {
  const std::string start = std::string(key) + ":";
  if (text.starts_with(start)) return true;
  return text.find("\n" + start) != std::string::npos;
}

bool is_csv(FileKind kind) {
  return kind == FileKind::kOpenbNodes || kind == FileKind::kOpenbTasks ||
         kind == FileKind::kTasksCsv;
}

Result<Rows<Cluster>> read_site(const std::string& path, const std::string& text) {
  const Result<model::Site> site = read_cluster_yaml(path, text, known_products());
  if (!site) return tl::unexpected(site.error());
  Result<Cluster> cluster = build_cluster(*site, built_in_catalogue());
  if (!cluster) return base::fail(path + ": " + cluster.error().message);
  return Rows<Cluster>{.value = std::move(*cluster)};
}

Result<Rows<std::vector<Task>>> read_jobs(const std::string& path, const std::string& text,
                                          const Known& known) {
  const auto jobs = read_job_yaml(path, text, known);
  if (!jobs) return tl::unexpected(jobs.error());
  Result<std::vector<Task>> tasks = tasks_of(*jobs);
  if (!tasks) return base::fail(path + ": " + tasks.error().message);
  return Rows<std::vector<Task>>{.value = std::move(*tasks)};
}

}  // namespace

FileKind kind_of(const std::string& text) {
  if (looks_like_openb_nodes(text)) return FileKind::kOpenbNodes;
  if (looks_like_openb_tasks(text)) return FileKind::kOpenbTasks;
  if (looks_like_tasks_csv(text)) return FileKind::kTasksCsv;
  const bool is_job = has_top_key(text, "job");
  const bool is_cluster = has_top_key(text, "cluster") || has_top_key(text, "nodes");
  return is_cluster && !is_job ? FileKind::kClusterYaml : FileKind::kJobYaml;
}

Result<std::string> read_any_file(const std::string& path) {
  Result<std::string> text = read_file(path, kLargestCsv);
  if (!text || is_csv(kind_of(*text))) return text;
  if (static_cast<std::int64_t>(text->size()) <= kLargestYaml) return text;
  return base::fail(fmt::format("{}: {} bytes are more than the {} allowed for YAML", path,
                                text->size(), kLargestYaml));
}

Result<Rows<Cluster>> read_cluster(const std::string& path, Strictness strictness) {
  const Result<std::string> text = read_any_file(path);
  if (!text) return tl::unexpected(text.error());
  switch (kind_of(*text)) {
    case FileKind::kOpenbNodes:
      return read_openb_nodes(path, *text, strictness);
    case FileKind::kOpenbTasks:
    case FileKind::kTasksCsv:
      return base::fail(path + ": this is a task list, not a node list");
    case FileKind::kClusterYaml:
    case FileKind::kJobYaml:
      break;
  }
  return read_site(path, *text);
}

Result<Rows<std::vector<Task>>> read_tasks(const std::string& path, const Cluster& cluster,
                                           Strictness strictness) {
  const Result<std::string> text = read_any_file(path);
  if (!text) return tl::unexpected(text.error());
  switch (kind_of(*text)) {
    case FileKind::kOpenbTasks:
      return read_openb_tasks(path, *text, strictness);
    case FileKind::kTasksCsv:
      return read_tasks_csv(path, *text, known_products(cluster), strictness);
    case FileKind::kOpenbNodes:
    case FileKind::kClusterYaml:
      return base::fail(path + ": this is a node list, not a task list");
    case FileKind::kJobYaml:
      break;
  }
  return read_jobs(path, *text, known_products(cluster));
}

Known known_products(const Cluster& cluster) {
  return {.catalogue = &built_in_catalogue(), .own = cluster.gpu_models};
}

}  // namespace headroom::formats

#include "formats/cluster_yaml.h"

#include "formats/cluster_check.h"
#include "formats/cluster_codec.h"
#include "formats/schema.h"
#include "formats/yaml.h"

namespace headroom::formats {

using base::Result;
using model::Site;

Result<Site> read_cluster_yaml(const std::string& name, const std::string& text,
                               const Known& known) {
  Problems problems(name);
  const std::vector<Value> documents = parse_yaml(text, problems);
  if (problems.empty() && documents.size() != 1) {
    problems.add(0, "", documents.empty() ? "the file is empty" : "one document is expected");
  }
  if (documents.size() != 1) return problems.error();
  Context context(problems, known);
  Site site;
  site_codec().read(documents.front(), context, site);
  // What follows would only repeat what is already wrong.
  if (!problems.empty()) return problems.error();
  check_site(site, documents.front(), context);
  check_queues(site, documents.front(), context);
  if (!problems.empty()) return problems.error();
  return site;
}

std::string write_cluster_yaml(const Site& site) { return print_yaml(site_codec().write(site)); }

Value cluster_schema() { return published_schema("cluster.yaml", site_codec().schema); }

}  // namespace headroom::formats

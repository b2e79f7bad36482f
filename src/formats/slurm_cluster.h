// A cluster.yaml out of Slurm's configuration: slurm.conf, gres.conf, topology.conf (tree or
// block), what `scontrol show node|partition|config|topology`, `sinfo --json`, `slurmrestd` nodes
// and partitions, `sshare -P` and `sacctmgr -P show assoc|qos` print. Every file is recognised by
// its contents; together they are one site.
//
//   auto imported = import_slurm_cluster({"slurm.conf", "topology.conf", "assoc.txt"}, {});
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/rows.h"
#include "model/site.h"

namespace headroom::formats {

struct ImportedSite {
  model::Site site;
  std::vector<std::string> notes;  // what was inferred, and what is missing
};

// Errors name file, line and value. Lenient: lines that cannot be read are told as notes.
base::Result<ImportedSite> import_slurm_cluster(const std::vector<std::string>& paths, Strictness);

// The same from texts: (name for messages, contents).
struct NamedText {
  std::string name;
  std::string text;
};
base::Result<ImportedSite> import_slurm_texts(const std::vector<NamedText>& texts, Strictness);

}  // namespace headroom::formats

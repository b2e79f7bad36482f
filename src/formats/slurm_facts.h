// SlurmFacts: what Slurm's configuration and its tools tell of a cluster, gathered from several
// texts before a site is made of it (slurm_cluster.h). slurm_facts.cc recognises a text and reads
// configuration files and what scontrol prints; slurm_tables.cc reads tables and JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/scontrol_text.h"
#include "formats/slurm_values.h"

namespace headroom::formats {

struct SlurmNode {
  std::string name;
  std::int64_t cpus = 0;  // 0: not told
  base::Bytes memory;
  std::vector<SlurmGpus> gpus;
  std::string features;
};

struct SlurmAccount {
  std::string name;
  std::string parent;  // empty: at the top
  std::int64_t shares = 1;
  Tres limit;                      // of all its jobs together
  std::int64_t user_running = -1;  // -1: not told
  std::int64_t user_submitted = -1;
};

struct SlurmSwitch {
  std::string name;
  std::vector<std::string> nodes;     // of a leaf
  std::vector<std::string> switches;  // below it
};

struct SlurmFacts {
  std::string cluster;
  std::vector<SlurmNode> nodes;  // in the order in which they came up
  std::map<std::string, std::size_t> node_index;
  std::vector<SlurmGpus> gpus_of_all;  // of gres.conf lines without names of nodes
  std::vector<SlurmSwitch> switches;
  std::vector<std::vector<std::string>> blocks;  // of nodes
  std::vector<SlurmAccount> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::map<std::string, std::int64_t> qos_priority;
  std::map<std::string, std::int64_t> partition_factor;  // PriorityJobFactor
  std::map<std::string, std::string> settings;           // of slurm.conf, keys in lower case
  std::vector<std::string> notes;

  SlurmNode& node(const std::string& name);  // adds it when it is new
  SlurmAccount& account(const std::string& name);
  void partition(std::string_view name);  // adds it when it is new
  void note(std::string text);            // once
};

// Adds what a text tells. Error: what it is cannot be seen, or file, line and value.
base::Result<void> add_slurm_text(const std::string& name, const std::string& text,
                                  SlurmFacts& facts);

// The parts of it: tables between separators, and JSON.
base::Result<void> add_slurm_table(const std::string& name, const std::string& text,
                                   SlurmFacts& facts);
base::Result<void> add_slurm_json(const std::string& name, const std::string& text,
                                  SlurmFacts& facts);

}  // namespace headroom::formats

// What `scontrol show …` prints: records of words KEY=VALUE, in one line each (--oneliner) or over
// several lines up to an empty one. The same words make up slurm.conf, gres.conf and topology.conf,
// where each line is a record, `#` begins a comment and `\` continues a line.
//
//   read_scontrol_records("nodes.txt", text)[0].find("NodeName")
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom::formats {

struct SlurmRecord {
  std::string place;                                       // "nodes.txt:14"
  std::vector<std::pair<std::string, std::string>> words;  // in order; keys as written

  // The value of a key, without regard to case; empty when it is not there.
  std::string_view find(std::string_view key) const;
  bool has(std::string_view key) const;
};

// A record begins with every line that is not indented, or follows an empty one.
std::vector<SlurmRecord> read_scontrol_records(const std::string& name, std::string_view text);

// Lines of a configuration file.
std::vector<SlurmRecord> read_conf_records(const std::string& name, std::string_view text);

}  // namespace headroom::formats

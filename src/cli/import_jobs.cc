#include <fmt/format.h>

#include <map>

#include "cli/import.h"
#include "formats/history.h"
#include "formats/message.h"

namespace headroom::cli {

using base::Result;
using model::History;

namespace {

formats::QueueSource queue_source(const std::string& word) {
  if (word == "partition") return formats::QueueSource::kPartition;
  return word == "qos" ? formats::QueueSource::kQos : formats::QueueSource::kAccount;
}

}  // namespace

Result<History> read_histories(const ImportOptions& options) {
  const auto format = formats::parse_history_format(options.format);
  if (!format) return base::fail("--format: " + format.error().message);
  const formats::HistoryOptions reading{.strictness = {options.lenient},
                                        .time_zone = options.time_zone,
                                        .queue = queue_source(options.queue),
                                        .cluster = options.cluster,
                                        .processors_are_gpus = options.swf_gpus};
  History all;
  std::map<std::string, std::size_t> position;
  for (const std::string& path : options.files) {
    Result<History> one = formats::read_history(path, *format, reading);
    if (!one) return one;
    if (all.format.empty()) all.format = one->format;
    if (all.cluster.empty()) all.cluster = one->cluster;
    if (!one->cluster.empty() && one->cluster != all.cluster) {
      return base::fail(fmt::format("{}: it is of the cluster {}, the files before of {}", path,
                                    formats::shown(one->cluster), formats::shown(all.cluster)));
    }
    for (model::HistoricJob& job : one->jobs) {
      const auto [known, is_new] = position.emplace(job.id, all.jobs.size());
      if (is_new) {
        all.jobs.push_back(std::move(job));
        continue;
      }
      all.leave_out("the job is in a file before, too");
      model::HistoricJob& old = all.jobs[known->second];
      if (!model::is_final(old.outcome) || model::is_final(job.outcome)) old = std::move(job);
    }
    for (const model::LeftOut& reason : one->left_out) all.leave_out(reason.reason, reason.rows);
    for (std::string& note : one->notes) all.note(std::move(note));
  }
  all.sort_jobs();
  return all;
}

}  // namespace headroom::cli

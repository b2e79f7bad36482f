#include "formats/slurm_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "formats/cluster_yaml.h"
#include "formats/file.h"
#include "formats/message.h"
#include "formats/slurm_facts.h"
#include "formats/slurm_pools.h"

namespace headroom::formats {

using base::Result;
using model::Queue;
using model::Site;

namespace {

constexpr std::int64_t kMostWeight = 1'000'000;

// The limit in GPUs of a queue. Slurm's are over the whole cluster, ours over a pool.
void set_limit(const Tres& limit, const Site& site, Queue& queue, SlurmFacts& facts) {
  if (!limit.is_known) return;
  std::vector<std::string> pools;
  for (const model::PoolSpec& pool : site.nodes) {
    if (pool.gpu) pools.push_back(pool.pool);
  }
  if (limit.gpus > 0 && pools.size() == 1) {
    queue.limit.push_back({.pool = pools[0], .amount = limit.gpus});
  } else if (limit.gpus > 0) {
    facts.note(fmt::format("the limit of {} GPUs of {} is over all pools and is left out",
                           limit.gpus, queue.name));
  }
  if (limit.cpu > 0 || limit.memory > base::Bytes{} || limit.nodes > 0) {
    facts.note("limits of CPUs, memory and nodes (GrpTRES) are left out");
  }
}

// The path of an account in the tree; a circle of parents is an error of the input.
Result<std::string> path_of(const SlurmAccount& account, const SlurmFacts& facts) {
  std::string path = account.name;
  std::set<std::string> seen{account.name};
  for (std::string parent = account.parent; !parent.empty();) {
    if (!seen.insert(parent).second) {
      return base::fail(fmt::format("the account {} is above itself", shown(parent)));
    }
    path = parent + "/" + path;
    const auto same = [&](const SlurmAccount& one) { return one.name == parent; };
    const auto found = std::find_if(facts.accounts.begin(), facts.accounts.end(), same);
    if (found == facts.accounts.end()) {
      return base::fail(fmt::format("the parent account {} of {} is not there", shown(parent),
                                    shown(account.name)));
    }
    parent = found->parent;
  }
  return path;
}

Result<void> add_queues(SlurmFacts& facts, Site& site) {
  for (const SlurmAccount& account : facts.accounts) {
    const Result<std::string> path = path_of(account, facts);
    if (!path) return tl::unexpected(path.error());
    Queue queue{.name = *path};
    queue.weight = std::clamp<std::int64_t>(account.shares, 1, kMostWeight);
    queue.user_limits.running = account.user_running;
    if (account.user_submitted >= 0) {
      queue.user_limits.waiting = account.user_submitted;
      facts.note("MaxSubmit counts running jobs too; here it limits those that wait");
    }
    set_limit(account.limit, site, queue, facts);
    site.queues.push_back(std::move(queue));
  }
  if (!facts.accounts.empty()) {
    facts.note(
        fmt::format("{} accounts became queues, their shares the weights", facts.accounts.size()));
    if (!facts.partitions.empty()) {
      facts.note("partitions are not taken over: every queue may use every pool");
    }
  } else if (!facts.partitions.empty()) {
    for (const std::string& name : facts.partitions) site.queues.push_back({.name = name});
    facts.note("no accounts are told (sacctmgr show assoc, sshare): partitions became queues");
  } else {
    site.queues.push_back({.name = "default"});
    facts.note("neither accounts nor partitions are told: there is one queue, default");
  }
  // Parents stand before their children.
  std::stable_sort(site.queues.begin(), site.queues.end(), [](const Queue& a, const Queue& b) {
    return std::count(a.name.begin(), a.name.end(), '/') <
           std::count(b.name.begin(), b.name.end(), '/');
  });
  return {};
}

void note_what_is_missing(SlurmFacts& facts, const Site& site) {
  const auto setting = [&](const char* key) {
    const auto found = facts.settings.find(key);
    return found == facts.settings.end() ? std::string() : found->second;
  };
  if (!facts.qos.empty()) {
    facts.note(
        fmt::format("{} QOS are not taken over: priorities and preemption between them have "
                    "no counterpart in queues",
                    facts.qos.size()));
  }
  if (const std::string preemption = setting("preempttype"); !preemption.empty()) {
    facts.note(fmt::format("PreemptType={} is left out: queues reclaim what they are guaranteed",
                           preemption));
  }
  if (facts.switches.empty() && facts.blocks.empty()) {
    facts.note("missing: topology.conf, so leaves, racks and NVLink domains are not known");
  }
  facts.note("missing, because Slurm does not tell it: guarantees, network cards, storage, power");
  if (site.fabric) facts.note("missing: the oversubscription of the fabric; 1 is assumed");
}

}  // namespace

Result<ImportedSite> import_slurm_cluster(const std::vector<std::string>& paths,
                                          Strictness strictness) {
  std::vector<NamedText> texts;
  for (const std::string& path : paths) {
    Result<std::string> text = read_file(path, kLargestCsv);
    if (!text) return tl::unexpected(text.error());
    texts.push_back({.name = path, .text = std::move(*text)});
  }
  return import_slurm_texts(texts, strictness);
}

Result<ImportedSite> import_slurm_texts(const std::vector<NamedText>& texts,
                                        Strictness strictness) {
  SlurmFacts facts;
  for (const NamedText& one : texts) {
    const Result<void> done = add_slurm_text(one.name, one.text, facts);
    if (done) continue;
    if (!strictness.lenient) return tl::unexpected(done.error());
    facts.note("left out: " + done.error().message);
  }
  ImportedSite imported;
  Site& site = imported.site;
  if (const auto found = facts.settings.find("clustername"); found != facts.settings.end()) {
    facts.cluster = found->second;
  }
  site.cluster = clean_name(facts.cluster, "cluster");
  if (facts.cluster.empty()) facts.note("missing: the cluster's name (ClusterName in slurm.conf)");
  if (Result<void> done = make_pools(facts, site); !done) {
    return base::fail((texts.empty() ? "" : texts[0].name + ": ") + done.error().message);
  }
  if (Result<void> done = add_queues(facts, site); !done) return tl::unexpected(done.error());
  note_what_is_missing(facts, site);
  imported.notes = std::move(facts.notes);
  // What is written must be what lint accepts.
  const auto again = read_cluster_yaml("cluster.yaml", write_cluster_yaml(site), known_products());
  if (!again) return base::fail("the imported site does not hold: " + again.error().message);
  return imported;
}

}  // namespace headroom::formats

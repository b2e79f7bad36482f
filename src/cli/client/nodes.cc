// headroom nodes, gpus, queues: what there is, and what is free.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/queue_rows.h"
#include "cli/client_verbs.h"

namespace headroom::cli {

namespace {

struct ListOptions {
  ServerFlags server;
  OutputFlags output;
};

ItemColumn text(std::string key, std::string title) {
  return {.key = std::move(key), .title = std::move(title)};
}

ItemColumn number(std::string key, std::string title) {
  return {.key = std::move(key), .title = std::move(title), .left = false};
}

// Bytes in GiB, to one digit.
ItemColumn gibibytes(std::string key, std::string title) {
  ItemColumn column = number(key, std::move(title));
  column.cell = [key](const Json& item) {
    const Json* const value = field_at(item, key);
    if (value == nullptr || !value->is_number()) return std::string("-");
    return fmt::format("{:.4g}GiB", value->get<double>() / (1 << 30));
  };
  return column;
}

std::vector<ItemColumn> node_columns() {
  ItemColumn labels = text("labels", "LABELS");
  labels.wide_only = true;
  return {text("name", "NODE"),
          text("pool", "POOL"),
          text("state", "STATE"),
          text("gpu_model", "MODEL"),
          number("gpus", "GPUS"),
          number("gpus_free", "FREE"),
          number("cpus", "CPUS"),
          number("cpus_free", "FREE"),
          gibibytes("memory_bytes", "MEMORY"),
          gibibytes("memory_free_bytes", "FREE"),
          text("jobs", "JOBS"),
          labels};
}

std::vector<ItemColumn> gpu_columns() {
  return {text("node", "NODE"),   number("index", "GPU"), text("model", "MODEL"),
          text("state", "STATE"), number("free", "FREE"), text("jobs", "JOBS")};
}

std::vector<ItemColumn> queue_columns() {
  ItemColumn weight = number("weight", "WEIGHT");
  ItemColumn priority = number("priority", "PRIORITY");
  weight.wide_only = priority.wide_only = true;
  return {text("name", "QUEUE"),
          text("pool", "POOL"),
          text("unit", "UNIT"),
          number("guarantee", "GUARANTEE"),
          number("limit", "LIMIT"),
          number("held", "HELD"),
          number("borrowed", "BORROWED"),
          number("wanted", "WANTED"),
          number("running", "RUNNING"),
          number("waiting", "WAITING"),
          weight,
          priority};
}

Command list_command(const std::string& name, bool in_pages, const std::string& summary,
                     const std::string& details, const std::vector<ItemColumn>& columns,
                     std::vector<Example> examples) {
  const auto options = std::make_shared<ListOptions>();
  return {.name = name,
          .summary = summary,
          .details = details,
          .flags = joined(output_flags(options->output, true), server_flags(options->server)),
          .examples = std::move(examples),
          .run = [name, in_pages, columns, options] {
            return with_client(options->server, [&](Client& client) {
              Reply<Listing> listing =
                  in_pages ? client.pages("/" + name, {}) : client.list("/" + name);
              if (!listing) return fail_with(listing.error());
              const bool in_rows = options->output.is_table() || options->output.form == "csv";
              if (in_rows && !in_pages) listing->items = queue_rows(listing->items);
              return print_items(columns, std::move(*listing), options->output, "no " + name);
            });
          }};
}

}  // namespace

std::vector<Json> queue_rows(const std::vector<Json>& queues) {
  std::vector<Json> rows;
  for (const Json& queue : queues) {
    const Json* const pools = field_at(queue, "pools");
    Json plain = queue;
    plain.erase("pools");
    if (pools == nullptr || pools->empty()) {
      rows.push_back(std::move(plain));
      continue;
    }
    for (const Json& pool : *pools) {
      Json row = plain;
      row.update(pool);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Command nodes_command() {
  return list_command("nodes", true, "List nodes: their state, what is free, who is there", "",
                      node_columns(), {{"nodes", "all nodes"}});
}

Command gpus_command() {
  return list_command("gpus", true, "List GPUs: their model, state and jobs", "", gpu_columns(),
                      {{"gpus --json", "all GPUs, for a program"}});
}

Command queues_command() {
  return list_command("queues", false, "List queues: guarantee, limit, use, who waits",
                      "A row for each pool of nodes where a queue has something. BORROWED is what "
                      "it holds beyond its guarantee, WANTED what its waiting jobs ask for.",
                      queue_columns(), {{"queues", "all queues"}});
}

}  // namespace headroom::cli

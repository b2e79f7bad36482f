#include "server/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "engine/local_engine.h"
#include "formats/build_cluster.h"
#include "formats/build_windows.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/json.h"
#include "formats/known.h"
#include "formats/load.h"
#include "server/access/gate.h"
#include "server/access/tokens.h"
#include "server/api/api.h"
#include "server/api/openapi.h"
#include "server/api/routes.h"
#include "server/control_thread.h"
#include "server/net/event_hub.h"
#include "server/net/listen.h"
#include "server/publisher.h"
#include "store/reader.h"
#include "store/sqlite_store.h"

namespace headroom::server {

using base::Result;

namespace {

constexpr int kReaderThreads = 2;
constexpr std::size_t kJobsLearned = 2'000;        // that ended before this process began
constexpr std::chrono::seconds kStopTime{5};       // for requests in flight
constexpr std::chrono::minutes kTokenTime{1};      // between two notes of when tokens were used
constexpr std::int64_t kAnswersKept = 86'400'000;  // ms: a repeated request within a day

Result<FirstSite> read_first(const ServeOptions& options) {
  const auto site = formats::read_cluster_yaml(options.cluster_name, options.cluster_yaml,
                                               formats::known_products());
  if (!site) return tl::unexpected(site.error());
  auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
  if (!cluster) return tl::unexpected(cluster.error());
  FirstSite first{.text = options.cluster_yaml, .queues = site->queues};
  first.windows = formats::build_windows(*site, formats::NodeIds(*cluster));
  first.cluster = std::make_shared<const model::Cluster>(std::move(*cluster));
  if (first.queues.empty()) first.queues.push_back({.name = "default"});
  return first;
}

std::string summary_of(const model::Cluster& cluster, std::size_t queues) {
  return fmt::format("cluster {}: {} nodes, {} GPUs, {} queues", cluster.name, cluster.nodes.size(),
                     cluster.gpu_capacity().value() / 1000, queues);
}

// How long jobs ran that ended before: the oldest first, as they would have been learned.
Result<void> learn(store::Reader& reader, Controller& controller) {
  const store::JobQuery query{.states = {store::JobState::kCompleted},
                              .order = store::JobOrder::kEnded,
                              .descending = true,
                              .limit = kJobsLearned};
  const auto page = reader.jobs(query);
  if (!page) return tl::unexpected(page.error());
  for (auto row = page->jobs.rbegin(); row != page->jobs.rend(); ++row) {
    const auto spec = reader.spec(row->id);
    if (!spec) return tl::unexpected(spec.error());
    if (*spec && row->started > base::Time{}) {
      controller.learn(**spec, base::between(row->started, row->ended));
    }
  }
  return {};
}

}  // namespace

Result<std::string> check_cluster(const ServeOptions& options) {
  const auto first = read_first(options);
  if (!first) return tl::unexpected(first.error());
  return summary_of(*first->cluster, first->queues.size());
}

struct Server::Parts {
  Parts(ServeOptions with, Log& lines) : options(std::move(with)), log(lines) {}

  ServeOptions options;
  Log& log;
  Metrics metrics;
  SystemClock clock;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<store::Reader> control_reader;
  std::unique_ptr<api::Readers> readers;
  access::Tokens tokens;
  access::Roles roles;
  std::unique_ptr<access::Gate> gate;
  std::unique_ptr<net::EventHub> events;
  std::unique_ptr<Publisher> publisher;
  std::unique_ptr<ControlThread> control;
  std::unique_ptr<api::Services> services;
  std::unique_ptr<net::HttpServer> http;
  std::atomic<bool> ready{false};
  std::atomic<bool> failed{false};
  std::string first_token;
  std::vector<std::string> limitations;

  Result<void> open();
  Result<void> open_state();
  Result<void> first_access();
  Result<void> serve();
  void note_tokens();
};

// Store, engine, state.
Result<void> Server::Parts::open() {
  auto opened = store::open_sqlite_store(options.folder);
  if (!opened) return tl::unexpected(opened.error());
  store = std::move(*opened);
  auto engines =
      engine::open_local_engine({.folder = options.folder + "/engine", .hub = options.hub});
  if (!engines) return tl::unexpected(engines.error());
  engine = std::move(*engines);
  limitations = engine->limitations();
  if (auto ok = open_state(); !ok) return ok;

  auto reader = store::Reader::open(options.folder);
  if (!reader) return tl::unexpected(reader.error());
  control_reader = std::move(*reader);
  if (auto ok = learn(*control_reader, *controller); !ok) return ok;
  auto pool = api::Readers::open(options.folder, kReaderThreads);
  if (!pool) return tl::unexpected(pool.error());
  readers = std::move(*pool);
  return first_access();
}

Result<void> Server::Parts::open_state() {
  const Ports ports{.store = *store, .engine = *engine, .clock = clock};
  const auto known = store->snapshot();
  if (!known) return tl::unexpected(known.error());
  std::optional<FirstSite> first;
  if (!*known) {
    if (options.cluster_yaml.empty()) {
      return base::fail(options.folder + " is new: it takes --cluster cluster.yaml to begin with " +
                        "(headroom init writes one for this machine)");
    }
    auto read = read_first(options);
    if (!read) return tl::unexpected(read.error());
    first = std::move(*read);
  }
  auto made = Controller::open(ports, options.controller, first ? &*first : nullptr);
  if (!made) return tl::unexpected(made.error());
  controller = std::move(*made);
  return {};
}

// Tokens and roles; a new store gets those that it begins with.
Result<void> Server::Parts::first_access() {
  const auto stored = store->tokens();
  if (!stored) return tl::unexpected(stored.error());
  const auto bindings = store->roles();
  if (!bindings) return tl::unexpected(bindings.error());
  for (const store::Token& token : *stored) tokens.put(token);
  for (const store::RoleBinding& binding : *bindings) roles.bind(binding);
  if (!stored->empty()) return {};
  const access::FirstAccess first =
      access::first_access(net::user_name(geteuid()), controller->time());
  auto stepped = controller->step({[&](Change& change) -> Answer {
    change.also().tokens.push_back(first.token.token);
    for (const store::RoleBinding& one : first.bindings) change.also().bound.push_back(one);
    return {};
  }});
  if (!stepped) return tl::unexpected(stepped.error());
  tokens.put(first.token.token);
  for (const store::RoleBinding& binding : first.bindings) roles.bind(binding);
  first_token = first.token.text;
  return {};
}

Result<void> Server::Parts::serve() {
  const auto after = [this](std::chrono::milliseconds time, std::function<void()> task) {
    if (ready) http->after(time, std::move(task));
  };
  events = std::make_unique<net::EventHub>(after, controller->sequence());
  publisher = std::make_unique<Publisher>(controller->state(), *events);
  controller->on_record([this](const model::Record& record) { publisher->publish(record); });
  gate = std::make_unique<access::Gate>(
      tokens, access::GateOptions{.own_uid = geteuid(), .groups_of = access::system_groups()});
  control = std::make_unique<ControlThread>(*controller, *engine, [this](const std::string& why) {
    log.write(Log::Level::kError, "stopped", {{"why", why}});
    failed = true;
  });
  const model::Cluster& cluster = controller->state().cluster().cluster();
  services = std::make_unique<api::Services>(
      api::Services{.control = *control,
                    .readers = *readers,
                    .control_reader = *control_reader,
                    .store = *store,
                    .gate = *gate,
                    .tokens = tokens,
                    .roles = roles,
                    .events = *events,
                    .logs = engine::LocalLogs(options.folder + "/engine"),
                    .after = after,
                    .log = log,
                    .metrics = metrics,
                    .routes = api::all_routes(),
                    .known = formats::known_products(cluster),
                    .folder = options.folder,
                    .version = options.version,
                    .cluster = cluster.name,
                    .limitations = limitations,
                    .document = {}});
  services->document =
      formats::print_json_line(api::openapi(services->routes, options.version)) + "\n";
  net::ServerOptions listen = options.net;
  listen.body_limit = api::body_limit;
  // Requests may come before start() has returned.
  auto started = net::HttpServer::start(
      listen,
      [this, handle = api::make_api(*services)](net::Request request, net::Reply reply) {
        if (ready) return handle(std::move(request), std::move(reply));
        reply.send(net::problem_response(
            {.status = 503, .detail = "the server is starting", .retry_after = 1}, request.id));
      },
      log, metrics);
  if (!started) return tl::unexpected(started.error());
  http = std::move(*started);
  ready = true;
  note_tokens();
  return {};
}

// Once a minute: which tokens were used is stored, and what is old enough is forgotten.
void Server::Parts::note_tokens() {
  http->after(kTokenTime, [this] {
    control->post([this](Change& change) -> Answer {
      for (store::Token& token : tokens.take_used()) change.also().tokens.push_back(token);
      const base::Time before{change.now().value() - kAnswersKept};
      if (auto ok = store->retain(before); !ok) {
        log.write(Log::Level::kError, "retention", {{"why", ok.error().message}});
      }
      return {};
    });
    note_tokens();
  });
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<Server>> Server::start(ServeOptions options, Log& log) {
  auto parts = std::make_unique<Parts>(std::move(options), log);
  if (auto ok = parts->open(); !ok) return tl::unexpected(ok.error());
  if (auto ok = parts->serve(); !ok) return tl::unexpected(ok.error());
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::~Server() {
  if (parts_->http) (void)stop();
}

const std::string& Server::first_token() const { return parts_->first_token; }
std::uint16_t Server::port() const { return parts_->http->port(); }
const std::vector<std::string>& Server::limitations() const { return parts_->limitations; }
bool Server::has_failed() const { return parts_->failed; }

std::string Server::summary() const {
  const schedule::State& state = parts_->controller->state();
  return summary_of(state.cluster().cluster(), state.queues().size());
}

Result<void> Server::stop() {
  parts_->http->stop(kStopTime);
  parts_->control->stop();
  parts_->readers.reset();
  parts_->http.reset();
  if (parts_->failed) return base::fail("it stopped because of an error (see above)");
  return {};
}

}  // namespace headroom::server

// headroom serve: the live system on this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/client/local_socket.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "formats/file.h"
#include "formats/load.h"
#include "formats/quantity.h"
#include "server/server.h"

namespace headroom::cli {

namespace {

using base::Result;

struct Options {
  std::string data;
  std::string cluster;
  std::string listen = "127.0.0.1:0";
  std::string certificate;
  std::string key;
  std::string socket;
  std::string policy = "headroom";
  std::string log_level = "info";
  bool no_tcp = false;
  bool check = false;
};

// /var/lib/headroom as root, else ~/.local/state/headroom.
std::string default_folder() {
  if (geteuid() == 0) return "/var/lib/headroom";
  if (const char* const state = std::getenv("XDG_STATE_HOME"); state && *state == '/') {
    return std::string(state) + "/headroom";
  }
  const char* const home = std::getenv("HOME");
  return std::string(home ? home : ".") + "/.local/state/headroom";
}

// "127.0.0.1:7070", "[::1]:7070"
Result<server::net::ServerOptions::Tcp> parse_listen(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return base::fail("--listen: '" + text + "' is not ADDRESS:PORT (127.0.0.1:7070)");
  }
  const auto port = formats::parse_integer(text.substr(colon + 1), 0, 65'535);
  if (!port) return base::fail("--listen: port: " + port.error().message);
  std::string address = text.substr(0, colon);
  if (address.front() == '[' && address.back() == ']')
    address = address.substr(1, address.size() - 2);
  return server::net::ServerOptions::Tcp{.address = address,
                                         .port = static_cast<std::uint16_t>(*port)};
}

Result<server::ServeOptions> serve_options(const Options& options) {
  server::ServeOptions serve;
  // Absolute: the engine's helpers run elsewhere.
  serve.folder = std::filesystem::absolute(options.data.empty() ? default_folder() : options.data);
  serve.version = "0.1.0";
  serve.controller.policy = options.policy;
  if (!options.cluster.empty()) {
    auto text = formats::read_any_file(options.cluster);
    if (!text) return tl::unexpected(text.error());
    serve.cluster_yaml = std::move(*text);
    serve.cluster_name = options.cluster;
  }
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return base::fail("/proc/self/exe: " + failed.message());
  serve.hub = {self.string(), "supervise", serve.folder + "/engine"};
  if (!options.no_tcp) {
    auto tcp = parse_listen(options.listen);
    if (!tcp) return tl::unexpected(tcp.error());
    serve.net.tcp = *tcp;
  }
  if (options.certificate.empty() != options.key.empty()) {
    return base::fail("--tls-certificate and --tls-key: both, or none");
  }
  if (!options.key.empty()) serve.net.tls = {options.certificate, options.key};
  serve.net.socket = options.socket.empty() ? own_socket() : options.socket;
  return serve;
}

// The data is for its owner only: it holds what users' jobs are given.
Result<void> make_folders(const server::ServeOptions& options) {
  std::error_code failed;
  const std::filesystem::path socket_folder =
      std::filesystem::path(options.net.socket).parent_path();
  if (!socket_folder.empty()) std::filesystem::create_directories(socket_folder, failed);
  if (failed) return base::fail(socket_folder.string() + ": " + failed.message());
  const bool fresh = std::filesystem::create_directories(options.folder, failed);
  if (failed) return base::fail(options.folder + ": " + failed.message());
  if (fresh) {
    std::filesystem::permissions(options.folder, std::filesystem::perms::owner_all, failed);
  }
  if (failed) return base::fail(options.folder + ": " + failed.message());
  return {};
}

void print_start(const server::Server& server, const server::ServeOptions& options) {
  fmt::print("{}\n  data    {}\n  socket  {}\n", server.summary(), options.folder,
             options.net.socket);
  if (server.port() != 0) {
    const std::string& address = options.net.tcp->address;
    const bool six = address.find(':') != std::string::npos;
    fmt::print("  http    {}://{}{}{}:{}\n", options.net.tls ? "https" : "http", six ? "[" : "",
               address, six ? "]" : "", server.port());
  }
  for (const std::string& one : server.limitations()) fmt::print("  note    {}\n", one);
  if (!server.first_token().empty()) {
    fmt::print("  token   {}\n          of the admin; it is shown this once\n",
               server.first_token());
  }
  std::fflush(stdout);
}

int serve(const Options& options) {
  const auto fail = [](const std::string& message) {
    fmt::print(stderr, "headroom: {}\n", message);
    return kUsage;
  };
  const auto level = server::parse_log_level(options.log_level);
  if (!level) return fail("--log-level: " + level.error().message);
  auto with = serve_options(options);
  if (!with) return fail(with.error().message);
  if (options.check) {
    const auto summary = server::check_cluster(*with);
    if (!summary) return fail(summary.error().message);
    fmt::print("{}\n", *summary);
    return kOk;
  }
  if (auto ok = make_folders(*with); !ok) return fail(ok.error().message);
  std::signal(SIGPIPE, SIG_IGN);
  server::Log log(*level);
  const Interrupt interrupt;
  auto server = server::Server::start(*with, log);
  if (!server) return fail(server.error().message);
  print_start(**server, *with);
  while (!Interrupt::requested() && !(*server)->has_failed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // What failed is not durable: nothing may be answered any more, and nothing is tidied up.
  if ((*server)->has_failed()) std::_Exit(kFailed);
  if (auto ok = (*server)->stop(); !ok) return fail(ok.error().message);
  return kOk;
}

}  // namespace

Command serve_command() {
  auto options = std::make_shared<Options>();
  Command command;
  command.name = "serve";
  command.summary = "runs the live system on this machine";
  command.details =
      "Takes jobs, decides where and when they run, and runs them as processes of this machine. "
      "What "
      "it has acknowledged survives a crash and power loss; jobs go on when it stops. Ctrl-C or "
      "SIGTERM ends it.";
  command.flags = {
      {"--data", "DIR",
       "journal, logs, snapshots; default: /var/lib/headroom as root, else "
       "~/.local/state/headroom",
       &options->data},
      {"--cluster", "FILE", "cluster.yaml to begin with; later changes: headroom apply",
       &options->cluster},
      {"--listen", "ADDRESS:PORT", "HTTP; port 0: any free one; default: 127.0.0.1:0",
       &options->listen},
      {"--no-tcp", "", "the socket only", &options->no_tcp},
      {"--tls-certificate", "FILE", "PEM, with its chain; needed beyond this machine",
       &options->certificate},
      {"--tls-key", "FILE", "PEM", &options->key},
      {"--socket", "PATH", "UNIX socket; default: where clients look for it", &options->socket},
      {"--check", "", "says what a new server would begin with, and ends", &options->check},
      {"--policy", "NAME", "default: headroom", &options->policy},
      {"--log-level",
       "LEVEL",
       "debug, info, warning or error; default: info",
       &options->log_level,
       false,
       {"debug", "info", "warning", "error"}},
  };
  command.examples = {
      {"serve --cluster examples/cluster.yaml --check", "what would be served"},
  };
  command.run = [options] { return serve(*options); };
  return command;
}

}  // namespace headroom::cli

#include "cli/client/endpoint.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "cli/client/local_socket.h"
#include "formats/codecs.h"
#include "formats/file.h"
#include "formats/known.h"
#include "formats/message.h"
#include "formats/spelling.h"
#include "formats/yaml.h"

namespace headroom::cli {

using base::Result;
namespace f = formats;

namespace {

struct ServerContext {
  std::string name;
  std::string server;
  std::string token;
  std::string token_file;
  std::string ca;
  friend bool operator==(const ServerContext&, const ServerContext&) = default;
};

struct Config {
  std::string context;
  std::vector<ServerContext> contexts;
  friend bool operator==(const Config&, const Config&) = default;
};

const f::Codec<Config>& config_codec() {
  using C = ServerContext;
  static const f::Codec<ServerContext> context = f::object<C>(
      {f::field("name", &C::name, f::name(), "").needed(),
       f::field("server", &C::server, f::text(), "https://host:port or a socket").needed(),
       f::field("token", &C::token, f::text(), "hr_…"),
       f::field("token_file", &C::token_file, f::text(), "a file with the token"),
       f::field("ca", &C::ca, f::text(), "certificates to trust")});
  static const f::Codec<Config> codec =
      f::object<Config>({f::field("context", &Config::context, f::name(), "the one to use"),
                         f::field("contexts", &Config::contexts, f::list_of(context), "")});
  return codec;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The context in use; an empty one when there is no file.
Result<ServerContext> read_context(const std::string& path) {
  if (path.empty() || access(path.c_str(), F_OK) != 0) return ServerContext{};
  const Result<std::string> text = f::read_file(path, f::kLargestYaml);
  if (!text) return tl::unexpected(text.error());
  f::Problems problems(path);
  const std::vector<f::Value> documents = f::parse_yaml(*text, problems);
  const f::Known known = f::known_products();
  f::Context context(problems, known);
  Config config;
  if (!documents.empty()) config_codec().read(documents[0], context, config);
  if (!problems.empty()) return problems.error();
  if (config.contexts.empty()) return ServerContext{};
  if (config.context.empty() && config.contexts.size() == 1) return config.contexts[0];
  std::vector<std::string> names;
  for (const ServerContext& one : config.contexts) {
    if (one.name == config.context) return one;
    names.push_back(one.name);
  }
  return base::fail(
      fmt::format("{}: context: {} is not {}", path, f::shown(config.context), f::one_of(names)));
}

Result<std::string> read_token(const std::string& path) {
  Result<std::string> text = f::read_file(path, 4096);
  if (!text) return text;
  const std::size_t from = text->find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return base::fail(path + ": the file is empty");
  return text->substr(from, text->find_last_not_of(" \t\r\n") + 1 - from);
}

bool is_this_machine(std::string_view authority) {
  std::string_view host = authority.substr(0, authority.find('/'));
  if (host.starts_with('[')) {
    host = host.substr(0, host.find(']') + 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Result<Endpoint> parse_server(std::string server, const std::string& place) {
  Endpoint endpoint{.shown = server};
  if (server.starts_with("unix:")) server.erase(0, server.starts_with("unix://") ? 7 : 5);
  if (server.starts_with('/')) {
    endpoint.socket = server;
    endpoint.url = "http://localhost";
    return endpoint;
  }
  while (server.ends_with('/')) server.pop_back();
  if (!server.starts_with("https://") && !server.starts_with("http://")) {
    return base::fail(
        fmt::format("{}: {} is not https://HOST:PORT, http://HOST:PORT or the path "
                    "of a socket",
                    place, f::shown(server)));
  }
  if (server.find_first_of("@?# ") != std::string::npos) {
    return base::fail(place + ": only a host and a port can stand behind ://");
  }
  endpoint.url = server;
  return endpoint;
}

// A token with a line break would be a header of its own.
Result<void> check_token(const Endpoint& endpoint) {
  for (const char c : endpoint.token) {
    if (c <= ' ' || c > '~') return base::fail("the token has a character that no token has");
  }
  constexpr std::string_view kPlain = "http://";
  const bool in_the_clear = endpoint.socket.empty() && endpoint.url.starts_with(kPlain) &&
                            !is_this_machine(endpoint.url.substr(kPlain.size()));
  if (!endpoint.token.empty() && in_the_clear) {
    return base::fail(
        fmt::format("{}: a token is not sent over http:// to another machine; use "
                    "https://",
                    endpoint.shown));
  }
  return {};
}

}  // namespace

ServerEnvironment server_environment() {
  ServerEnvironment around{.server = variable("HEADROOM_SERVER"),
                           .token = variable("HEADROOM_TOKEN")};
  std::string folder = variable("XDG_CONFIG_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.config";
  if (!folder.empty()) around.config_file = folder + "/headroom/config.yaml";
  around.socket = default_socket();
  return around;
}

Result<Endpoint> find_endpoint(const ServerFlags& flags, const ServerEnvironment& around) {
  ServerContext context;
  std::string server = flags.server;
  std::string place = "--server";
  if (server.empty()) {
    server = around.server;
    place = "HEADROOM_SERVER";
  }
  if (server.empty()) {
    Result<ServerContext> read = read_context(around.config_file);
    if (!read) return tl::unexpected(read.error());
    context = std::move(*read);
    server = context.server;
    place = around.config_file;
  }
  if (server.empty()) server = around.socket;
  Result<Endpoint> endpoint = parse_server(server, place);
  if (!endpoint) return endpoint;
  endpoint->ca = flags.ca.empty() ? context.ca : flags.ca;
  const std::string file = !flags.token_file.empty() ? flags.token_file
                           : around.token.empty()    ? context.token_file
                                                     : "";
  if (!file.empty()) {
    const Result<std::string> token = read_token(file);
    if (!token) return tl::unexpected(token.error());
    endpoint->token = *token;
  } else {
    endpoint->token = around.token.empty() ? context.token : around.token;
  }
  if (Result<void> good = check_token(*endpoint); !good) return tl::unexpected(good.error());
  return endpoint;
}

}  // namespace headroom::cli

#include "cli/client/endpoint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace headroom::cli {
namespace {

// A file that is gone afterwards.
class File {
 public:
  explicit File(const std::string& text) {
    const int descriptor = mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "/endpoint.XXXXXX";
};

const std::string kConfig =
    "context: lab\n"
    "contexts:\n"
    "  - {name: lab, server: 'https://lab:8443', token: hr_lab, ca: /etc/lab.pem}\n"
    "  - {name: east, server: /run/east.sock}\n";

Endpoint found(const ServerFlags& flags, const ServerEnvironment& around) {
  const auto endpoint = find_endpoint(flags, around);
  EXPECT_TRUE(endpoint) << (endpoint ? "" : endpoint.error().message);
  return endpoint ? *endpoint : Endpoint{};
}

std::string error_of(const ServerFlags& flags, const ServerEnvironment& around = {}) {
  const auto endpoint = find_endpoint(flags, around);
  return endpoint ? "found" : endpoint.error().message;
}

TEST(Endpoint, TheFlagComesBeforeTheVariableTheFileAndTheSocket) {
  const File config(kConfig);
  ServerEnvironment around{.config_file = "/nowhere/config.yaml", .socket = "/run/local.sock"};
  EXPECT_EQ(found({}, around).socket, "/run/local.sock");
  around.config_file = config.path();
  EXPECT_EQ(found({}, around).url, "https://lab:8443");
  EXPECT_EQ(found({}, around).token, "hr_lab");
  EXPECT_EQ(found({}, around).ca, "/etc/lab.pem");
  around.server = "http://127.0.0.1:1";
  EXPECT_EQ(found({}, around).url, "http://127.0.0.1:1");
  EXPECT_EQ(found({.server = "unix:/run/x.sock"}, around).socket, "/run/x.sock");
}

TEST(Endpoint, TheTokenOfAContextGoesToItsServerAlone) {
  const File config(kConfig);
  ServerEnvironment around{.config_file = config.path()};
  EXPECT_EQ(found({.server = "https://elsewhere"}, around).token, "");
  around.token = "hr_variable";
  EXPECT_EQ(found({.server = "https://elsewhere"}, around).token, "hr_variable");
  const File token("hr_file\n");
  EXPECT_EQ(found({.token_file = token.path()}, around).token, "hr_file");
}

TEST(Endpoint, ATokenIsNotSentInTheClear) {
  const ServerEnvironment around{.token = "hr_secret"};
  const std::string error = error_of({.server = "http://gpu.example.org:8080"}, around);
  EXPECT_NE(error.find("use https://"), std::string::npos);
  EXPECT_EQ(error.find("hr_secret"), std::string::npos);
  EXPECT_NE(error_of({.server = "http://127.0.0.1.evil.org"}, around), "found");
  for (const char* server : {"http://localhost:1", "http://127.0.0.1:1/", "http://[::1]:1"}) {
    EXPECT_EQ(found({.server = server}, around).token, "hr_secret");
  }
}

TEST(Endpoint, MistakesNameTheirPlace) {
  EXPECT_EQ(error_of({.server = "gpu:80"}),
            "--server: gpu:80 is not https://HOST:PORT, http://HOST:PORT or the path of a socket");
  EXPECT_NE(error_of({.server = "https://user:pass@host"}), "found");
  EXPECT_NE(error_of({}, {.token = "a\nb", .socket = "/s"}).find("character"), std::string::npos);
  const File unknown("context: x\ncontexts:\n  - {name: lab, server: /s, tokn: a}\n");
  EXPECT_NE(error_of({}, {.config_file = unknown.path()}).find(":3: contexts[0]: unknown key tokn"),
            std::string::npos);
  const File other("context: x\ncontexts:\n  - {name: lab, server: /s}\n");
  EXPECT_NE(error_of({}, {.config_file = other.path()}).find("context: x is not lab"),
            std::string::npos);
  EXPECT_NE(error_of({.token_file = "/nowhere/token"}, {.socket = "/s"}).find("/nowhere/token"),
            std::string::npos);
}

}  // namespace
}  // namespace headroom::cli

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "server/net/client_test.h"
#include "server/net/http_server.h"

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

template <auto Free>
struct Deleter {
  void operator()(auto* pointer) const { Free(pointer); }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

// Writes a key and a certificate that it signed itself.
void write_certificate(const TlsFiles& files) {
  const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const Owned<X509, X509_free> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  ASSERT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  const Owned<FILE, fclose> certificate_file(fopen(files.certificate.c_str(), "w"));
  PEM_write_X509(certificate_file.get(), certificate.get());
  const Owned<FILE, fclose> key_file(fopen(files.key.c_str(), "w"));
  PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    std::filesystem::create_directory(folder_);
    write_certificate(files_);
  }
  ~TlsTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  base::Result<void> start(const std::string& address, const TlsFiles& files) {
    ServerOptions options;
    options.tcp = {.address = address};
    options.tls = files;
    options.limits.head_time = 200ms;
    auto started = HttpServer::start(
        std::move(options),
        [](const Request& request, const Reply& reply) {
          reply.send({.body = request.peer.kind == Peer::Kind::kTls ? "tls" : "plain"});
        },
        log_, metrics_);
    if (!started) return base::fail(started.error().message);
    server_ = *std::move(started);
    return {};
  }

  // What a TLS client with at most this version of TLS is answered; "" without an agreement.
  std::string ask(const std::string& request, int version) const {
    const Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_max_proto_version(context.get(), version);
    SSL_CTX_set_min_proto_version(context.get(), version);
    BIO* bio = BIO_new_ssl_connect(context.get());
    const Owned<BIO, BIO_free_all> owner(bio);
    BIO_set_conn_hostname(bio, ("127.0.0.1:" + std::to_string(server_->port())).c_str());
    if (BIO_do_connect(bio) <= 0) return "";
    BIO_write(bio, request.data(), static_cast<int>(request.size()));
    std::string answer;
    char buffer[4096];
    for (int got = 0; (got = BIO_read(bio, buffer, sizeof buffer)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
    return answer;
  }

  std::string folder_ =
      std::filesystem::temp_directory_path() / ("headroom_tls_" + std::to_string(getpid()));
  TlsFiles files_{folder_ + "/certificate.pem", folder_ + "/key.pem"};
  Log log_{Log::Level::kError, [](const std::string&) {}};
  Metrics metrics_;
  std::unique_ptr<HttpServer> server_;
};

const std::string kLastGet = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

TEST_F(TlsTest, IsSpokenFromVersion12On) {
  ASSERT_TRUE(start("127.0.0.1", files_));
  EXPECT_EQ(body_of(ask(kLastGet, TLS1_3_VERSION)), "tls");
  EXPECT_EQ(body_of(ask(kLastGet, TLS1_2_VERSION)), "tls");
  EXPECT_EQ(ask(kLastGet, TLS1_1_VERSION), "");
}

TEST_F(TlsTest, TellsASlowClient) {
  ASSERT_TRUE(start("127.0.0.1", files_));
  EXPECT_EQ(status_of(ask("GET / HT", TLS1_3_VERSION)), 408);
}

TEST_F(TlsTest, APlainClientIsClosed) {
  ASSERT_TRUE(start("127.0.0.1", files_));
  TestClient plain(server_->port());
  plain.send(kLastGet);
  EXPECT_EQ(status_of(plain.response()), 0);
  TestClient silent(server_->port());
  EXPECT_TRUE(silent.at_end());
}

TEST_F(TlsTest, WithItTheWholeNetworkMayBeListenedTo) { EXPECT_TRUE(start("0.0.0.0", files_)); }

TEST_F(TlsTest, KeyAndCertificateBelongTogether) {
  const TlsFiles other{folder_ + "/certificate2.pem", folder_ + "/key2.pem"};
  write_certificate(other);
  const auto refused = start("127.0.0.1", {files_.certificate, other.key});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with(other.key + ": not the private key of "))
      << refused.error().message;
  const auto swapped = start("127.0.0.1", {files_.key, files_.key});
  ASSERT_FALSE(swapped);
  EXPECT_TRUE(swapped.error().message.starts_with(files_.key + ": no PEM certificate"));
}

}  // namespace
}  // namespace headroom::server::net

#include "server/access/tokens.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <utility>

#include "base/assert.h"
#include "formats/time.h"
#include "store/audit.h"

namespace headroom::server::access {

namespace {

constexpr std::string_view kPrefix = "hr_";
constexpr std::size_t kIdBytes = 5;       // 8 characters
constexpr std::size_t kSecretBytes = 32;  // 256 bits: 52 characters
constexpr std::size_t kIdLength = 8;
constexpr std::size_t kLength = kPrefix.size() + kIdLength + 1 + 52;
constexpr std::int64_t kMinute = 60'000;

// Base 32 of RFC 4648 in lower case, without padding: it can be double-clicked and read out.
std::string random_text(std::size_t bytes) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, kSecretBytes> random{};
  const auto got = getrandom(random.data(), bytes, 0);
  HEADROOM_ASSERT(got == static_cast<ssize_t>(bytes));
  std::string text;
  unsigned int bits = 0;
  int count = 0;  // of bits that are not written yet
  for (std::size_t i = 0; i < bytes; ++i) {
    bits = (bits << 8 | random[i]) & 0xfff;
    for (count += 8; count >= 5; count -= 5) text += kDigits[bits >> (count - 5) & 31];
  }
  if (count > 0) text += kDigits[bits << (5 - count) & 31];
  return text;
}

// In a time that does not depend on where they differ.
bool is_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= a[i] ^ b[i];
  return different == 0;
}

base::Time to_the_minute(base::Time time) { return base::Time{time.value() / kMinute * kMinute}; }

}  // namespace

NewToken make_token(std::string user, std::string name, std::vector<std::string> scopes,
                    base::Time now, base::Time expires) {
  NewToken made;
  made.token.id = random_text(kIdBytes);
  made.text = fmt::format("{}{}_{}", kPrefix, made.token.id, random_text(kSecretBytes));
  made.token.hash = store::sha256(made.text);
  made.token.user = std::move(user);
  made.token.name = std::move(name);
  made.token.scopes = std::move(scopes);
  made.token.created = now;
  made.token.expires = expires;
  return made;
}

FirstAccess first_access(const std::string& own_user, base::Time now) {
  FirstAccess first{.token = make_token(own_user, "first", {}, now, {})};
  first.bindings.push_back({.subject = own_user, .role = "admin", .queue = ""});
  first.bindings.push_back({.subject = "*", .role = "user", .queue = ""});
  return first;
}

void Tokens::put(const store::Token& token) {
  const std::lock_guard guard(lock_);
  tokens_[token.id] = {token, false};
}

std::vector<store::Token> Tokens::list() const {
  const std::lock_guard guard(lock_);
  std::vector<store::Token> all;
  for (const auto& [id, entry] : tokens_) all.push_back(entry.token);
  return all;
}

base::Result<store::Token> Tokens::check(std::string_view text, base::Time now) {
  if (text.size() != kLength || !text.starts_with(kPrefix)) {
    return base::fail("the token is not of the form hr_ID_SECRET");
  }
  const std::string hash = store::sha256(std::string(text));
  const std::lock_guard guard(lock_);
  const auto found = tokens_.find(text.substr(kPrefix.size(), kIdLength));
  if (found == tokens_.end() || !is_equal(found->second.token.hash, hash)) {
    return base::fail("the token is unknown");
  }
  store::Token& token = found->second.token;
  if (token.revoked) return base::fail(fmt::format("token {} is revoked", token.id));
  if (token.expires.value() != 0 && token.expires <= now) {
    return base::fail(
        fmt::format("token {} expired at {}", token.id, formats::print_time(token.expires)));
  }
  if (to_the_minute(now) > token.last_used) {
    token.last_used = to_the_minute(now);
    found->second.used = true;
  }
  return token;
}

std::vector<store::Token> Tokens::take_used() {
  const std::lock_guard guard(lock_);
  std::vector<store::Token> used;
  for (auto& [id, entry] : tokens_) {
    if (std::exchange(entry.used, false)) used.push_back(entry.token);
  }
  return used;
}

}  // namespace headroom::server::access

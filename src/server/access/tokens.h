// Tokens of API clients: `hr_ID_SECRET`, where the secret is 256 bits from the system's random
// numbers. Only the SHA-256 of the whole is kept, so that what is stored opens nothing.
//
//   const NewToken made = make_token("ana", "laptop", {}, now, {});   // show made.text once,
//   tokens.put(made.token);                                           // store made.token
//   tokens.check("hr_…", now)                                         // whose is it?
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "store/store.h"

namespace headroom::server::access {

struct NewToken {
  std::string text;  // the secret: to be shown once and not kept
  store::Token token;
};

// `expires` 0: never.
NewToken make_token(std::string user, std::string name, std::vector<std::string> scopes,
                    base::Time now, base::Time expires);

// What a server without any token begins with: one for its own user, who is admin; and whoever is
// known is `user` in every queue, until that binding is removed.
struct FirstAccess {
  NewToken token;
  std::vector<store::RoleBinding> bindings;
};
FirstAccess first_access(const std::string& own_user, base::Time now);

// All tokens, as they are stored. Any thread; O(log tokens).
class Tokens {
 public:
  void put(const store::Token& token);  // new, or instead of the one with its id
  std::vector<store::Token> list() const;

  // The token, whose use is noted. The error never holds the secret; only who knows the secret is
  // told that it is revoked or expired.
  base::Result<store::Token> check(std::string_view text, base::Time now);

  // Those used in another minute than is stored, for the store; each once.
  std::vector<store::Token> take_used();

 private:
  struct Entry {
    store::Token token;
    bool used = false;
  };
  mutable std::mutex lock_;
  std::map<std::string, Entry, std::less<>> tokens_;  // by id
};

}  // namespace headroom::server::access

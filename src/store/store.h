// Store: what must not be lost. An append-only journal of records, snapshots of the state they
// give, and what the server keeps beside them: who did what, tokens, answers to repeated requests.
//
//   commit(batch)   one transaction: when it returns, all of the batch survives a power cut
//
// A commit that fails leaves it unknown what is durable, so the process must end: what it answered
// before is in the journal, and nobody was told of the rest. There is one writer; an epoch, taken
// at open, keeps a second one out: the commit of a writer that was overtaken fails.
//
// Readers (reader.h) see what was committed, from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "model/record.h"

namespace headroom::store {

// Who asked for what, and whether it was allowed. Never holds a secret.
struct AuditEntry {
  base::Time time;
  std::string actor;    // user, or the name of a token
  std::string via;      // "socket" or the token's id
  std::string address;  // where the request came from
  std::string verb;     // "submit", "cancel", …
  std::string object;   // "job 1041", "queue research"
  std::string outcome;  // "allowed", "refused"
  std::string detail;   // why; one line
  std::string request;  // id of the request
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

// A token of an API client. Only the hash of the secret is kept.
struct Token {
  std::string id;                   // public part, unique
  std::string hash;                 // SHA-256 of the whole token, in hex
  std::string user;                 // acts as this user
  std::string name;                 // given by who made it
  std::vector<std::string> scopes;  // empty: all that the user may
  base::Time created;
  base::Time expires;    // 0: never
  base::Time last_used;  // 0: never; to the minute
  bool revoked = false;
  friend bool operator==(const Token&, const Token&) = default;
};

// A user's (or a group's, "@hpc") role at a queue and below.
struct RoleBinding {
  std::string subject;
  std::string role;   // viewer, user, queue-admin, operator, admin
  std::string queue;  // empty: the whole cluster
  friend bool operator==(const RoleBinding&, const RoleBinding&) = default;
};

// What was answered to a request with an Idempotency-Key, for its repetition.
struct Answer {
  std::string user;
  std::string key;
  std::string fingerprint;  // of the request: another one with this key is refused
  std::int64_t status = 0;  // of HTTP
  std::string body;
  base::Time time;
  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Snapshot {
  std::uint64_t sequence = 0;  // of the last record in it; 0: the first state
  std::uint64_t digest = 0;    // of the state
  base::Time time;
  std::string bytes;  // schedule/snapshot.h
};

struct Batch {
  std::vector<model::Record> records;  // sequences go on from those that are stored, without gaps
  std::vector<AuditEntry> audit;
  std::vector<Token> tokens;  // new, or instead of the one with the same id
  std::vector<RoleBinding> bound;
  std::vector<RoleBinding> unbound;
  std::vector<Answer> answers;
  std::optional<std::string> site;        // cluster.yaml, instead of the one before
  std::optional<Snapshot> snapshot;       // of the state after `records`
  std::optional<model::Cluster> cluster;  // of the first state, with its snapshot: names of nodes
};

class Store {
 public:
  virtual ~Store() = default;
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Of this writer: higher than that of every writer before it. Orders to engines carry it.
  virtual std::uint64_t epoch() const = 0;

  // All or nothing, durable on return. O(batch). An error: end the process.
  virtual base::Result<void> commit(const Batch& batch) = 0;

  // The latest snapshot; none: a new store.
  virtual base::Result<std::optional<Snapshot>> snapshot() = 0;

  // The records after `sequence` (0, or one that a snapshot or the journal has) in order, each
  // checked against its checksum. The error of a record that is damaged or missing names it; the
  // error that `take` returns ends the walk. `take` may not use the store.
  virtual base::Result<void> records(
      std::uint64_t sequence,
      const std::function<base::Result<void>(const model::Record&)>& take) = 0;

  // cluster.yaml as it was last applied; empty: a new store.
  virtual base::Result<std::string> site() = 0;

  virtual base::Result<std::vector<Token>> tokens() = 0;
  virtual base::Result<std::vector<RoleBinding>> roles() = 0;
  virtual base::Result<std::optional<Answer>> answer(const std::string& user,
                                                     const std::string& key) = 0;

  // Forgets answers, and records that both kept snapshots hold, older than `before`; at most 10,000
  // of each in one call, so that nobody waits for it. Up to two hours of records (of the snapshots'
  // time) may stay longer. Finished jobs, usage and audit stay.
  virtual base::Result<void> retain(base::Time before) = 0;
};

}  // namespace headroom::store

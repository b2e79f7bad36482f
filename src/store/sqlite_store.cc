#include "store/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/archive.h"
#include "base/digest.h"
#include "store/audit.h"
#include "store/folder_lock.h"
#include "store/journal.h"
#include "store/projection.h"
#include "store/rebuild.h"
#include "store/record_row.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/tables.h"

namespace headroom::store {

namespace {

using base::Result;

constexpr std::int64_t kSnapshotsKept = 2;
constexpr base::Duration kBetweenBaselines{3'600'000};
constexpr std::int64_t kMostRemoved = 10'000;  // by one call of retain

std::string scopes_as_bytes(const std::vector<std::string>& scopes) {
  base::Writer out;
  out.put(scopes);
  return out.bytes();
}

// The prepared statements of a store.
struct Statements {
  explicit Statements(Database& db)
      : begin(db, "BEGIN IMMEDIATE"),
        end(db, "COMMIT"),
        epoch(db, "SELECT epoch FROM head"),
        record(db, "INSERT INTO journal VALUES (?, ?, ?, ?, ?)"),
        snapshot(db, "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?)"),
        forget_snapshots(db,
                         "DELETE FROM snapshots WHERE sequence NOT IN "
                         "(SELECT sequence FROM snapshots ORDER BY sequence DESC LIMIT ?)"),
        audit(db, "INSERT INTO audit VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        token(db, "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        bind(db, "INSERT OR REPLACE INTO roles VALUES (?, ?, ?)"),
        unbind(db, "DELETE FROM roles WHERE subject = ? AND queue = ? AND role = ?"),
        site(db, "INSERT OR REPLACE INTO site VALUES (1, ?)"),
        answer(db, "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)"),
        find_answer(db,
                    "SELECT fingerprint, status, body, time FROM answers "
                    "WHERE user = ? AND key = ?") {}

  Statement begin, end, epoch, record, snapshot, forget_snapshots, audit, token, bind, unbind, site,
      answer, find_answer;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::string& folder, const SqliteOptions& options,
              std::optional<FolderLock> lock)
      : lock_(std::move(lock)),
        options_(options),
        db_(database_path(folder), Database::Mode::kWrite, options.vfs) {}

  Result<void> open();

  std::uint64_t epoch() const override { return epoch_; }
  Result<void> commit(const Batch& batch) override;
  Result<std::optional<Snapshot>> snapshot() override;
  Result<void> records(std::uint64_t sequence,
                       const std::function<Result<void>(const model::Record&)>& take) override;
  Result<std::string> site() override;
  Result<std::vector<Token>> tokens() override;
  Result<std::vector<RoleBinding>> roles() override;
  Result<std::optional<Answer>> answer(const std::string& user, const std::string& key) override;
  Result<void> retain(base::Time before) override;

 private:
  Result<void> check_file();
  void take_epoch();
  void read_ends();
  void begin();
  Result<void> end();
  void add(const Batch& batch);
  void add_cluster(const model::Cluster& cluster, const std::optional<Snapshot>& snapshot);
  void add_record(const model::Record& record);
  void add_snapshot(const Snapshot& snapshot);
  void add_audit(const AuditEntry& entry);
  void checkpoint();

  std::optional<FolderLock> lock_;
  SqliteOptions options_;
  Database db_;
  std::unique_ptr<Statements> to_;
  std::unique_ptr<Projection> projection_;
  std::uint64_t epoch_ = 0;
  std::uint64_t last_ = 0;        // record
  std::uint64_t last_check_ = 0;  // its checksum
  std::string last_hash_;         // of the audit
  base::Time baseline_;           // the latest was taken then
  int wal_pages_ = 0;
};

// The file is there with its modes before SQLite sees it: the WAL beside it gets the same.
Result<void> prepare_file(const std::string& path) {
  const auto failed = [&](const char* what) {
    return base::fail(
        fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(errno)));
  };
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return failed("be opened");
  const int changed = ::fchmod(descriptor, 0600);
  ::close(descriptor);
  if (changed != 0) return failed("be kept from others (chmod 0600)");
  return {};
}

Result<void> SqliteStore::check_file() {
  Statement check(db_, "PRAGMA quick_check(1)");
  const bool row = check.first();
  const std::string said = row ? std::string(check.text(0)) : "";
  if (db_.ok() && said == "ok") return {};
  const std::string why = db_.ok() ? db_.path() + ": " + said : db_.error();
  return base::fail(why + advice(SQLITE_CORRUPT));
}

Result<void> SqliteStore::open() {
  const Result<Found> found = look_at(db_);
  if (!found) return tl::unexpected(found.error());
  if (*found == Found::kStore) {
    if (auto whole = check_file(); !whole) return whole;
  }
  if (sqlite3_db_readonly(db_.handle(), "main") == 1) {
    return base::fail(db_.path() + ": it is read only" + advice(SQLITE_READONLY));
  }
  db_.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;");
  sqlite3_wal_hook(
      db_.handle(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteStore*>(self)->wal_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  db_.run("BEGIN IMMEDIATE");
  make_tables(db_, *found);
  db_.run("UPDATE head SET epoch = epoch + 1");
  db_.run("COMMIT");
  to_ = std::make_unique<Statements>(db_);
  projection_ = std::make_unique<Projection>(db_);
  read_ends();
  if (!db_.ok()) return broken(db_);
  return {};
}

void SqliteStore::read_ends() {
  if (to_->epoch.first()) epoch_ = static_cast<std::uint64_t>(to_->epoch.integer(0));
  to_->epoch.reset();
  const JournalEnd end = journal_end(db_);
  last_ = end.sequence;
  last_check_ = end.check;
  Statement baseline(db_, "SELECT baseline_time FROM head");
  if (baseline.first()) baseline_ = baseline.quantity<base::Time>(0);
  baseline.reset();
  Statement hash(db_, "SELECT hash FROM audit ORDER BY id DESC LIMIT 1");
  last_hash_ = hash.first() ? std::string(hash.text(0)) : first_audit_hash();
}

void SqliteStore::begin() {
  to_->begin.run();
  if (!to_->epoch.first()) return db_.fail("its head is missing");
  if (static_cast<std::uint64_t>(to_->epoch.integer(0)) != epoch_) {
    db_.fail("another server has taken over (a higher epoch); this one ends");
  }
  to_->epoch.reset();
}

// An error stays: whether this or an earlier transaction is on the disk is not known any more.
Result<void> SqliteStore::end() {
  to_->end.run();
  if (!db_.ok()) {
    sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);  // others can go on
    return broken(db_);
  }
  if (wal_pages_ >= options_.checkpoint_pages) checkpoint();
  if (!db_.ok()) return broken(db_);
  return {};
}

// Into the file, as far as readers allow.
void SqliteStore::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(db_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             nullptr, &wal_pages_);
  if (code != SQLITE_OK && code != SQLITE_BUSY) db_.fail(sqlite3_errmsg(db_.handle()));
  wal_pages_ = 0;
}

Result<void> SqliteStore::commit(const Batch& batch) {
  begin();
  add(batch);
  return end();
}

void SqliteStore::add(const Batch& batch) {
  if (batch.cluster) add_cluster(*batch.cluster, batch.snapshot);
  for (const model::Record& record : batch.records) add_record(record);
  for (const AuditEntry& entry : batch.audit) add_audit(entry);
  for (const Token& token : batch.tokens) {
    to_->token.run(token.id, token.hash, token.user, token.name,
                   Blob{scopes_as_bytes(token.scopes)}, token.created, token.expires,
                   token.last_used, token.revoked);
  }
  for (const RoleBinding& one : batch.unbound) to_->unbind.run(one.subject, one.queue, one.role);
  for (const RoleBinding& one : batch.bound) to_->bind.run(one.subject, one.queue, one.role);
  for (const Answer& one : batch.answers) {
    to_->answer.run(one.user, one.key, one.fingerprint, one.status, one.body, one.time);
  }
  if (batch.site) to_->site.run(*batch.site);
  if (batch.snapshot) add_snapshot(*batch.snapshot);
}

void SqliteStore::add_cluster(const model::Cluster& cluster,
                              const std::optional<Snapshot>& snapshot) {
  if (last_ != 0 || !snapshot || snapshot->sequence != 0) {
    return db_.fail("a cluster comes with the snapshot of the first state, and only with it");
  }
  projection_->set_cluster(cluster, snapshot->time);
}

void SqliteStore::add_record(const model::Record& record) {
  if (record.sequence != last_ + 1) {
    return db_.fail(
        fmt::format("record {} after {}: sequences have no gaps", record.sequence, last_));
  }
  const RecordRow row = write_record(record, last_check_);
  to_->record.run(row.sequence, row.version, row.time, Blob{row.bytes}, row.check);
  projection_->apply(record);
  last_ = row.sequence;
  last_check_ = row.check;
}

void SqliteStore::add_snapshot(const Snapshot& snapshot) {
  if (snapshot.sequence != last_) {
    return db_.fail(
        fmt::format("a snapshot of record {} when the last one is {}", snapshot.sequence, last_));
  }
  to_->snapshot.run(snapshot.sequence, snapshot.digest, snapshot.time, Blob{snapshot.bytes},
                    last_check_, checksum_of(snapshot, last_check_));
  to_->forget_snapshots.run(kSnapshotsKept);
  if (snapshot.sequence != 0 && snapshot.time < baseline_ + kBetweenBaselines) return;
  keep_baseline(db_, snapshot.sequence, snapshot.time);
  baseline_ = snapshot.time;
}

void SqliteStore::add_audit(const AuditEntry& entry) {
  last_hash_ = audit_hash(last_hash_, entry);
  to_->audit.run(entry.time, entry.actor, entry.via, entry.address, entry.verb, entry.object,
                 entry.outcome, entry.detail, entry.request, last_hash_);
}

Result<std::optional<Snapshot>> SqliteStore::snapshot() {
  const std::vector<std::uint64_t> kept = snapshots(db_);
  if (!db_.ok()) return broken(db_);
  if (kept.empty()) return std::optional<Snapshot>();
  Result<Snapshot> found = read_snapshot(db_, kept.front());
  if (!found) return tl::unexpected(found.error());
  return std::optional<Snapshot>(std::move(*found));
}

Result<void> SqliteStore::records(std::uint64_t sequence,
                                  const std::function<Result<void>(const model::Record&)>& take) {
  return read_records(db_, sequence, take);
}

Result<std::string> SqliteStore::site() {
  Statement ask(db_, "SELECT text FROM site");
  std::string text;
  if (ask.first()) text = ask.text(0);
  if (!db_.ok()) return broken(db_);
  return text;
}

Result<std::vector<Token>> SqliteStore::tokens() {
  auto found = read_tokens(db_);
  if (!db_.ok()) return broken(db_);
  return found;
}

Result<std::vector<RoleBinding>> SqliteStore::roles() {
  auto found = read_roles(db_);
  if (!db_.ok()) return broken(db_);
  return found;
}

Result<std::optional<Answer>> SqliteStore::answer(const std::string& user, const std::string& key) {
  std::optional<Answer> found;
  Statement& find = to_->find_answer;
  if (find.first(user, key)) {
    found = Answer{.user = user,
                   .key = key,
                   .fingerprint = std::string(find.text(0)),
                   .status = find.integer(1),
                   .body = std::string(find.text(2)),
                   .time = find.quantity<base::Time>(3)};
  }
  find.reset();
  if (!db_.ok()) return broken(db_);
  return found;
}

// Records up to the older of the two snapshots only, so that one damaged snapshot is not the end.
Result<void> SqliteStore::retain(base::Time before) {
  begin();
  Statement forget(db_,
                   "DELETE FROM answers WHERE (user, key) IN "
                   "(SELECT user, key FROM answers WHERE time < ? LIMIT ?)");
  forget.run(before, kMostRemoved);
  Statement last(db_,
                 "SELECT sequence, checksum FROM journal WHERE time < ?1 AND sequence <= "
                 "min((SELECT min(sequence) FROM snapshots), (SELECT baseline FROM head), "
                 "(SELECT removed FROM head) + ?2) "
                 "ORDER BY sequence DESC LIMIT 1");
  if (last.first(before, kMostRemoved)) {
    const std::int64_t sequence = last.integer(0);
    const std::int64_t check = last.integer(1);
    last.reset();
    Statement(db_, "UPDATE head SET removed = ?, removed_checksum = ?").run(sequence, check);
    Statement(db_, "DELETE FROM journal WHERE sequence <= ?").run(sequence);
  }
  return end();
}

}  // namespace

std::string database_path(const std::string& folder) { return folder + "/headroom.db"; }

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& folder,
                                                 const SqliteOptions& options) {
  std::optional<FolderLock> lock;
  if (options.vfs.empty()) {
    Result<FolderLock> taken = FolderLock::take(folder);
    if (!taken) return tl::unexpected(taken.error());
    lock.emplace(std::move(*taken));
    if (auto ready = prepare_file(database_path(folder)); !ready) {
      return tl::unexpected(ready.error());
    }
  }
  auto store = std::make_unique<SqliteStore>(folder, options, std::move(lock));
  if (auto opened = store->open(); !opened) return tl::unexpected(opened.error());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace headroom::store

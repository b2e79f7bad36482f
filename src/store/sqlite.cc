#include "store/sqlite.h"

namespace headroom::store {

Database::Database(const std::string& path, Mode mode, const std::string& vfs) : path_(path) {
  const int flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
      (mode == Mode::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  const int code =
      sqlite3_open_v2(path.c_str(), &handle_, flags, vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) fail_with(code);
  if (handle_ != nullptr) sqlite3_busy_timeout(handle_, 5000);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::fail(const std::string& message) {
  if (ok()) error_ = path_ + ": " + message;
}

void Database::fail_with(int code) {
  if (!ok()) return;
  code_ = code;
  fail(handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_));
}

void Database::forgive() {
  error_.clear();
  code_ = 0;
}

void Database::run(const std::string& sql) {
  if (!ok()) return;
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_with(code);
}

Statement::Statement(Database& db, std::string_view sql) : db_(db) {
  if (!db.ok()) return;
  const int code = sqlite3_prepare_v3(db.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) db.fail_with(code);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::reset() {
  if (handle_ != nullptr) sqlite3_reset(handle_);
}

bool Statement::next() {
  if (!db_.ok() || handle_ == nullptr) return false;
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) db_.fail_with(code);
  sqlite3_reset(handle_);
  return false;
}

void Statement::bind_integer(int at, std::int64_t value) {
  if (handle_ != nullptr) sqlite3_bind_int64(handle_, at, value);
}

// The value need not outlive the call: SQLite keeps a copy.
void Statement::bind(int at, std::string_view text) {
  if (handle_ == nullptr) return;
  const int code = sqlite3_bind_text64(handle_, at, text.data() == nullptr ? "" : text.data(),
                                       text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) db_.fail_with(code);
}

void Statement::bind(int at, Blob blob) {
  if (handle_ == nullptr) return;
  const char* bytes = blob.bytes.data() == nullptr ? "" : blob.bytes.data();
  const int code = sqlite3_bind_blob64(handle_, at, bytes, blob.bytes.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) db_.fail_with(code);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

// Of a text it is the same bytes, in the type that is needed here.
std::string_view Statement::text(int column) const { return blob(column); }

std::string_view Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(handle_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace headroom::store

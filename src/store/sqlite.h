// Database and Statement: SQLite's C API with owners for what it hands out.
//
//   Statement find(db, "SELECT name FROM jobs WHERE user = ?");
//   for (bool row = find.first(user); row; row = find.next()) names.push_back(find.text(0));
//   if (!db.ok()) return db.failure();
//
// The first thing that goes wrong is kept: from then on nothing is done, rows end, and ok() is
// false, so that a transaction is checked once, before it is committed. One thread at a time.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/quantity.h"
#include "base/result.h"

namespace headroom::store {

// Bytes, where a text would be written as text.
struct Blob {
  std::string_view bytes;
};

class Database {
 public:
  enum class Mode : std::uint8_t { kRead, kWrite };

  // `vfs`: through which files are reached; empty: the system's. A file that is not there is made.
  Database(const std::string& path, Mode mode, const std::string& vfs = "");
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  int code() const { return code_; }  // SQLite's extended result code of the error
  tl::unexpected<base::Error> failure() const { return base::fail(error_); }
  void fail(const std::string& message);  // the place (the file) is put before it
  void forgive();                         // a reader goes on after an error

  // Statements without arguments and rows, separated by semicolons.
  void run(const std::string& sql);

  const std::string& path() const { return path_; }
  sqlite3* handle() { return handle_; }

 private:
  friend class Statement;
  void fail_with(int code);

  std::string path_;
  sqlite3* handle_ = nullptr;
  std::string error_;
  int code_ = 0;
};

class Statement {
 public:
  Statement(Database& db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds and executes; for what gives no rows.
  template <class... Values>
  void run(const Values&... values) {
    first(values...);
    reset();
  }

  // Binds and goes to the first row; false: there is none, or something went wrong.
  template <class... Values>
  bool first(const Values&... values) {
    reset();
    int at = 0;
    (bind(++at, values), ...);
    return next();
  }
  bool next();
  void reset();

  int columns() const { return sqlite3_column_count(handle_); }
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;  // until the next row
  std::string_view blob(int column) const;  // the same
  template <class Q>
  Q quantity(int column) const {
    return Q{integer(column)};
  }

  void bind(int at, std::string_view text);
  void bind(int at, Blob blob);
  template <class Tag>
  void bind(int at, base::Quantity<Tag> value) {
    bind_integer(at, value.value());
  }
  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void bind(int at, T value) {
    bind_integer(at, static_cast<std::int64_t>(value));
  }

 private:
  void bind_integer(int at, std::int64_t value);

  Database& db_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace headroom::store

#include "store/sqlite_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "store/record_row.h"
#include "store/sqlite.h"
#include "store/store_contract_test.h"
#include "store/temporary_folder_test.h"

namespace headroom::store {
namespace {

class SqlitePlace final : public Place {
 public:
  base::Result<std::unique_ptr<Store>> open() override { return open_sqlite_store(path()); }
  // Another machine does not see the lock.
  base::Result<std::unique_ptr<Store>> open_beside() override {
    std::filesystem::remove(path() + "/lock");
    return open();
  }
  std::string path() const { return folder_.path() + "/data"; }

 private:
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(MakePlace([] {
                           return std::make_unique<SqlitePlace>();
                         })));

// A store with ten records and a snapshot, closed.
class SqliteStoreTest : public testing::Test {
 protected:
  SqliteStoreTest() {
    auto store = open_sqlite_store(folder());
    EXPECT_TRUE(store);
    EXPECT_TRUE((*store)->commit(first_batch()));
    Batch batch{.records = sample_records(1, 10)};
    batch.snapshot = Snapshot{.sequence = 10, .digest = 3, .bytes = "state"};
    EXPECT_TRUE((*store)->commit(batch));
  }
  const std::string& folder() const { return folder_.path(); }
  std::string file() const { return database_path(folder()); }

  void change(const std::string& sql) {
    Database db(file(), Database::Mode::kWrite);
    db.run(sql);
    ASSERT_TRUE(db.ok()) << db.error();
  }
  std::string open_error() {
    auto store = open_sqlite_store(folder());
    return store ? "" : store.error().message;
  }
  std::string records_error() {
    auto store = open_sqlite_store(folder());
    if (!store) return store.error().message;
    auto records = read_all(**store);
    return records ? "" : records.error().message;
  }

  TemporaryFolder folder_;
};

#define EXPECT_SAYS(text, what) \
  EXPECT_NE((text).find(what), std::string::npos) << "it says: " << (text)

TEST_F(SqliteStoreTest, OnlyTheOwnerMayReadTheFiles) {
  auto store = open_sqlite_store(folder());
  ASSERT_TRUE((*store)->commit({.records = sample_records(11, 11)}));
  for (const char* name : {"headroom.db", "headroom.db-wal", "headroom.db-shm", "lock"}) {
    struct stat status{};
    ASSERT_EQ(::stat((folder() + "/" + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(SqliteStoreTest, ASecondServerOnTheFolderIsRefused) {
  auto store = open_sqlite_store(folder());
  EXPECT_EQ(open_error(), folder() + ": in use by process " + std::to_string(::getpid()) +
                              "; one server a data folder: stop it, or name another folder");
  EXPECT_TRUE((*store)->commit({.records = sample_records(11, 11)}));
}

TEST_F(SqliteStoreTest, ADamagedRecordIsNamed) {
  change("UPDATE journal SET bytes = x'7f' || substr(bytes, 2) WHERE sequence = 4");
  EXPECT_EQ(open_error(), "");
  EXPECT_SAYS(records_error(), file() + ": record 4: it is damaged");
  EXPECT_SAYS(records_error(), "headroom restore");
}

TEST_F(SqliteStoreTest, AMissingOrMovedRecordIsNamed) {
  change("DELETE FROM journal WHERE sequence = 4");
  EXPECT_SAYS(records_error(), "record 4 is missing");
  change("UPDATE journal SET sequence = 4 WHERE sequence = 10");
  EXPECT_SAYS(records_error(), "record 4: it is damaged");
}

TEST_F(SqliteStoreTest, ADamagedSnapshotIsNamed) {
  change("UPDATE snapshots SET bytes = 'stale'");
  auto store = open_sqlite_store(folder());
  const auto read = (*store)->snapshot();
  ASSERT_FALSE(read);
  EXPECT_SAYS(read.error().message, file() + ": snapshot of record 10: it is damaged");
}

TEST_F(SqliteStoreTest, ARecordOfANewerVersionIsRefused) {
  // As a newer program would write it: with its version under the checksum.
  RecordRow row = write_record(sample_record(1), kFirstCheck);
  row.version += 1;
  EXPECT_SAYS(read_record(row, kFirstCheck).error().message, "record 1: it is damaged");
}

TEST_F(SqliteStoreTest, AFileOfAnotherKindIsRefused) {
  change("PRAGMA application_id = 1");
  EXPECT_EQ(open_error(), file() + ": this is an SQLite file of another program");
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_EQ(open_error(), file() + ": this is not a store of headroom (no SQLite file)");
}

TEST_F(SqliteStoreTest, ANewerFormatIsRefused) {
  change("PRAGMA user_version = 99");
  EXPECT_EQ(open_error(), file() +
                              ": its format is version 99; this program reads up to 1: use "
                              "the newer headroom");
}

TEST_F(SqliteStoreTest, ADamagedPageIsFoundAtOpen) {
  std::fstream raw(file(), std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(4096 + 3);
  raw << std::string(200, '\xff');
  raw.close();
  EXPECT_SAYS(open_error(), file() + ": ");
  EXPECT_SAYS(open_error(), "the file is damaged");
}

TEST_F(SqliteStoreTest, AFolderThatCannotBeWrittenIsSaidSo) {
  const auto store = open_sqlite_store("/proc/nowhere");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().message, "/proc/nowhere: cannot be made: No such file or directory");
}

}  // namespace
}  // namespace headroom::store

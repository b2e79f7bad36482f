#include "store/store_contract_test.h"

namespace headroom::store {

void StoreContract::SetUp() {
  place_ = GetParam()();
  reopen();
  ASSERT_TRUE(store().commit(first_batch()));
}

void StoreContract::reopen() {
  store_.reset();
  auto opened = place_->open();
  ASSERT_TRUE(opened) << opened.error().message;
  store_ = std::move(*opened);
}

Batch first_batch() {
  return {.snapshot = Snapshot{.digest = 7, .time = base::Time{5}, .bytes = "empty"},
          .cluster = sample_cluster()};
}

namespace {

#define EXPECT_DONE(result) EXPECT_TRUE(result) << (result).error().message

TEST_P(StoreContract, ANewStoreIsEmpty) {
  const std::unique_ptr<Place> elsewhere = GetParam()();
  const std::unique_ptr<Store> empty = std::move(*elsewhere->open());
  EXPECT_EQ(empty->epoch(), 1U);
  EXPECT_FALSE(empty->snapshot()->has_value());
  EXPECT_TRUE(read_all(*empty)->empty());
  EXPECT_EQ(*empty->site(), "");
  EXPECT_TRUE(empty->tokens()->empty());
  EXPECT_TRUE(empty->roles()->empty());
  EXPECT_FALSE(empty->answer("ana", "k")->has_value());
}

TEST_P(StoreContract, WhatWasCommittedIsThereAfterAReopen) {
  Batch batch{.records = sample_records(1, 5)};
  batch.tokens = {{.id = "t1", .hash = "h", .user = "ana", .scopes = {"read", "submit"}}};
  batch.site = "cluster: a";
  batch.bound = {{"ana", "user", "a"}, {"@hpc", "viewer", ""}};
  batch.answers = {{"ana", "k", "f", 201, "{}", base::Time{3}}};
  EXPECT_DONE(store().commit(batch));
  EXPECT_DONE(store().commit({.records = sample_records(6, 9)}));
  const auto check = [&] {
    EXPECT_TRUE(*read_all(store()) == sample_records(1, 9));
    EXPECT_TRUE(*read_all(store(), 7) == sample_records(8, 9));
    EXPECT_EQ(*store().site(), "cluster: a");
    EXPECT_EQ(*store().tokens(), batch.tokens);
    EXPECT_EQ(store().roles()->size(), 2U);
    EXPECT_EQ(*store().answer("ana", "k"), batch.answers.front());
    EXPECT_FALSE(store().answer("ben", "k")->has_value());
  };
  check();
  reopen();
  check();
}

TEST_P(StoreContract, EveryRecordKindComesBackAsItWas) {
  const model::AllocationId first{{1, -1}, 1};
  const std::vector<std::variant<model::Event, model::Decision>> kinds = {
      sample_record(1).what,
      sample_record(2).what,
      sample_record(3).what,
      sample_record(5).what,
      model::Event{model::NodeAdded{"n9", sample_cluster().shapes.front()}},
      model::Event{model::NodeDrained{model::NodeId{1}, "fan", true}},
      model::Event{model::QueueChanged{{.name = "a/b", .guarantee = {{"h100", 8}}}, false}},
      model::Decision{model::StopJob{first, model::StopJob::Reason::kReclaimed, {2, -1}}},
      model::Event{model::JobCancelled{{1, -1}, "ana"}},
      model::Event{model::AllocationEnded{first, model::AllocationEnded::Outcome::kFailed, 1, 9,
                                          true, "killed"}},
      model::Decision{
          model::RejectJob{{2, -1}, model::RejectJob::Reason::kNoMatchingLabels, 3, 2}}};
  Batch batch;
  for (const auto& what : kinds) {
    batch.records.push_back({batch.records.size() + 1, base::Time{9}, what});
  }
  EXPECT_DONE(store().commit(batch));
  EXPECT_TRUE(*read_all(store()) == batch.records);
}

TEST_P(StoreContract, RecordsBeginAfterTheLatestSnapshot) {
  Batch batch{.records = sample_records(1, 4)};
  batch.snapshot = Snapshot{.sequence = 4, .digest = 44, .time = base::Time{6}, .bytes = "four"};
  EXPECT_DONE(store().commit(batch));
  EXPECT_DONE(store().commit({.records = sample_records(5, 6)}));
  reopen();
  const auto latest = store().snapshot();
  ASSERT_TRUE(latest && latest->has_value());
  EXPECT_EQ((*latest)->sequence, 4U);
  EXPECT_EQ((*latest)->digest, 44U);
  EXPECT_EQ((*latest)->time, base::Time{6});
  EXPECT_EQ((*latest)->bytes, "four");
  EXPECT_TRUE(*read_all(store(), 4) == sample_records(5, 6));
}

TEST_P(StoreContract, WhatTakeReturnsEndsTheWalk) {
  EXPECT_DONE(store().commit({.records = sample_records(1, 4)}));
  int taken = 0;
  const auto walked = store().records(0, [&](const model::Record&) -> base::Result<void> {
    if (++taken == 2) return base::fail("enough");
    return {};
  });
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().message, "enough");
  EXPECT_EQ(taken, 2);
}

// The writer is at fault; nothing of the batch is kept, and the store takes nothing any more.
TEST_P(StoreContract, AGapOrARepetitionIsRefusedWhole) {
  EXPECT_DONE(store().commit({.records = sample_records(1, 2)}));
  Batch batch{.records = {sample_record(3), sample_record(5)}};
  batch.audit = {sample_audit(1)};
  const auto refused = store().commit(batch);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("record 5 after 3"), std::string::npos);
  EXPECT_FALSE(store().commit({.records = sample_records(3, 3)}));
  reopen();
  EXPECT_TRUE(*read_all(store()) == sample_records(1, 2));
  EXPECT_FALSE(store().commit({.records = sample_records(2, 2)}));
}

TEST_P(StoreContract, ASnapshotIsOfTheLastRecord) {
  Batch batch{.records = sample_records(1, 2)};
  batch.snapshot = Snapshot{.sequence = 1, .bytes = "one"};
  EXPECT_FALSE(store().commit(batch));
}

TEST_P(StoreContract, AWriterThatWasOvertakenCommitsNothing) {
  EXPECT_DONE(store().commit({.records = sample_records(1, 2)}));
  auto second = place_->open_beside();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ((*second)->epoch(), 2U);
  const auto late = store().commit({.records = sample_records(3, 3)});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message.find("another server has taken over"), std::string::npos);
  EXPECT_DONE((*second)->commit({.records = sample_records(3, 4)}));
  EXPECT_TRUE(*read_all(**second) == sample_records(1, 4));
  EXPECT_FALSE(store().retain(base::Time{0}));
}

TEST_P(StoreContract, EveryOpenHasAHigherEpoch) {
  reopen();
  EXPECT_EQ(store().epoch(), 2U);
  reopen();
  EXPECT_EQ(store().epoch(), 3U);
}

TEST_P(StoreContract, TokensRolesAndAnswersAreReplacedAndTakenAway) {
  Token token{.id = "t1", .hash = "h", .user = "ana"};
  EXPECT_DONE(store().commit({.tokens = {token}, .bound = {{"ana", "user", ""}}}));
  token.revoked = true;
  token.last_used = base::Time{60'000};
  EXPECT_DONE(store().commit({.tokens = {token}, .unbound = {{"ana", "user", ""}}}));
  EXPECT_EQ(*store().tokens(), std::vector<Token>{token});
  EXPECT_TRUE(store().roles()->empty());
}

// Retention: what a restart needs stays, and the journal goes on where it was.
TEST_P(StoreContract, RetentionKeepsWhatTheSnapshotsDoNotHold) {
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Batch batch{.records = sample_records(10 * i - 9, 10 * i)};
    batch.snapshot = Snapshot{.sequence = 10 * i,
                              .time = base::Time{static_cast<std::int64_t>(i) * 3'600'000},
                              .bytes = "s" + std::to_string(i)};
    EXPECT_DONE(store().commit(batch));
  }
  Batch rest{.records = sample_records(31, 33)};
  rest.answers = {{"ana", "old", "f", 200, "", base::Time{3}},
                  {"ana", "new", "f", 200, "", sample_record(40).time}};
  EXPECT_DONE(store().commit(rest));
  EXPECT_DONE(store().retain(sample_record(15).time));
  EXPECT_TRUE(*read_all(store(), 14) == sample_records(15, 33));
  EXPECT_FALSE(store().answer("ana", "old")->has_value());
  EXPECT_TRUE(store().answer("ana", "new")->has_value());
  EXPECT_DONE(store().retain(sample_record(40).time));
  EXPECT_FALSE(read_all(store(), 14));
  EXPECT_TRUE(*read_all(store(), 20) == sample_records(21, 33));
  reopen();
  EXPECT_EQ((*store().snapshot())->sequence, 30U);
  EXPECT_TRUE(*read_all(store(), 30) == sample_records(31, 33));
  EXPECT_DONE(store().commit({.records = sample_records(34, 34)}));
  EXPECT_TRUE(*read_all(store(), 30) == sample_records(31, 34));
}

TEST_P(StoreContract, WithoutASnapshotNothingIsForgotten) {
  EXPECT_DONE(store().commit({.records = sample_records(1, 9)}));
  EXPECT_DONE(store().retain(sample_record(40).time));
  EXPECT_TRUE(*read_all(store()) == sample_records(1, 9));
}

}  // namespace

}  // namespace headroom::store

#include "server/api/reason_text.h"

#include <gtest/gtest.h>

#include "schedule/queue_tree.h"

namespace headroom::server::api {

namespace {

using schedule::JobSlot;
using schedule::Reason;

class ReasonTextTest : public testing::Test {
 protected:
  ReasonTextTest() {
    model::Cluster cluster;
    cluster.name = "lab";
    cluster.gpu_models.push_back({.name = "H100-SXM", .memory = base::gigabytes(80)});
    const model::ShapeId shape = cluster.intern_shape({.pool = "h100",
                                                       .cpu = base::CpuMilli{64'000},
                                                       .memory = base::gibibytes(512),
                                                       .gpu_model = model::GpuModelId{0},
                                                       .gpus = 8});
    cluster.nodes.push_back({"n1", shape});
    auto shared = std::make_shared<const model::Cluster>(cluster);
    auto tree = std::make_shared<const schedule::QueueTree>(
        std::vector<model::Queue>{{.name = "research"}}, schedule::pool_names(cluster));
    state_.emplace(shared, tree);
  }

  JobSlot submit(const std::function<void(model::Job&)>& change = {}) {
    model::Job job;
    job.job = "j";
    job.queue = "research";
    job.user = "ana";
    job.groups[0].request.gpu = model::GpuRequest::whole(8);
    if (change) change(job);
    const model::JobId id{++jobs_, -1};
    const model::Event event = model::JobSubmitted{.id = id, .job = job};
    EXPECT_TRUE(check(*state_, event).has_value());
    apply(
        *state_,
        {.sequence = static_cast<std::uint64_t>(jobs_), .time = base::Time{1'000}, .what = event});
    return state_->find(id);
  }

  std::optional<schedule::State> state_;
  std::int64_t jobs_ = 0;
};

}  // namespace

TEST_F(ReasonTextTest, NumbersAreInThePoolsUnit) {
  const schedule::PoolId pool = state_->queues().find_pool("h100");
  EXPECT_EQ(amount_text(*state_, pool, 8'000), "8 GPUs of h100");
  EXPECT_EQ(amount_text(*state_, pool, 1'000), "1 GPU of h100");
  EXPECT_EQ(amount_text(*state_, pool, 250), "0.25 GPUs of h100");
  EXPECT_EQ(amount_text(*state_, state_->cpu_pool(), 1'500), "1.5 cores");
}

TEST_F(ReasonTextTest, QuotaNamesTheQueueAndWhatIsLeft) {
  const JobSlot job = submit();
  const Reason reason{.kind = Reason::Kind::kQueueLimit,
                      .pool = state_->queues().find_pool("h100"),
                      .needs = 8'000,
                      .has = 2'000,
                      .queue = state_->queues().find("research")};
  const ReasonText text = explain(*state_, job, reason);
  EXPECT_EQ(text.code, "quota");
  EXPECT_EQ(text.text, "needs 8 GPUs of h100; queue research has 2 GPUs of h100 left of its limit");
}

TEST_F(ReasonTextTest, AReservationNamesWhoHoldsIt) {
  const JobSlot first = submit();
  const JobSlot second = submit();
  const Reason reason{.kind = Reason::Kind::kReservation,
                      .pool = state_->queues().find_pool("h100"),
                      .needs = 8'000,
                      .holder = first};
  const ReasonText text = explain(*state_, second, reason);
  EXPECT_EQ(text.code, "reservation");
  EXPECT_EQ(text.text, "needs 8 GPUs of h100; starting it now would delay job 1");
}

TEST_F(ReasonTextTest, AHeldJobSaysHowToReleaseIt) {
  const JobSlot job = submit([](model::Job& one) { one.hold = true; });
  const ReasonText text = explain(*state_, job, Reason{});
  EXPECT_EQ(text.code, "hold");
  EXPECT_EQ(text.text, "held; headroom release 1");
}

TEST_F(ReasonTextTest, ADependencyNamesTheJobsThatAreOpen) {
  submit();
  const JobSlot job = submit(
      [](model::Job& one) { one.after = {{.kind = model::Dependency::Kind::kOk, .job = 1}}; });
  const ReasonText text = explain(*state_, job, Reason{});
  EXPECT_EQ(text.code, "dependency");
  EXPECT_EQ(text.text, "waits until job 1 ends");
}

}  // namespace headroom::server::api

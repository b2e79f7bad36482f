#include "server/controller.h"

#include <gtest/gtest.h>

#include <set>

#include "server/simulated.h"

namespace headroom::server {

namespace {

using base::Duration;
using model::AllocationId;
using model::JobId;

model::Cluster cluster_of(int nodes) {
  model::Cluster cluster;
  cluster.name = "lab";
  cluster.gpu_models.push_back({.name = "H100-SXM", .memory = base::gigabytes(80)});
  const model::ShapeId shape = cluster.intern_shape({.pool = "h100",
                                                     .cpu = base::CpuMilli{64'000},
                                                     .memory = base::gibibytes(512),
                                                     .gpu_model = model::GpuModelId{0},
                                                     .gpus = 4});
  for (int i = 0; i < nodes; ++i) cluster.nodes.push_back({"n" + std::to_string(i), shape});
  return cluster;
}

model::Job job_of(int gpus, const std::string& run) {
  model::Job job;
  job.job = "train";
  job.queue = "research";
  job.user = "ana";
  job.groups[0].request.cpu = base::CpuMilli{1000};
  job.groups[0].request.gpu = model::GpuRequest::whole(gpus);
  job.run = run;
  return job;
}

// A server in memory that can be killed and started again.
class Server {
 public:
  explicit Server(int nodes = 2, bool faulty = false, std::uint64_t seed = 1)
      : faulty_(faulty), rng_(seed) {
    first_.text = "cluster: lab";
    first_.cluster = std::make_shared<const model::Cluster>(cluster_of(nodes));
    first_.queues = {{.name = "research"}};
    start();
  }

  void start() {
    controller_.reset();
    engine_.reset();
    store_.reset();
    store_ = std::make_unique<SimulatedStore>(disk);
    engine_ = std::make_unique<SimulatedEngine>(machine, clock, base::Rng(rng_.next()), faulty_);
    auto opened = Controller::open({*store_, *engine_, clock}, options, &first_);
    alive_ = opened.has_value();
    if (alive_) controller_ = std::move(*opened);
    if (!alive_) why_dead_ = opened.error().message;
  }

  // False: the process has died.
  bool step(std::vector<Request> requests = {}) {
    auto next = controller_->step(std::move(requests));
    alive_ = next.has_value();
    if (!alive_) why_dead_ = next.error().message;
    return alive_;
  }
  bool pass(std::int64_t ms) {
    clock.pass(Duration{ms});
    return step();
  }

  // The job's number; 0: refused; -1: not answered.
  std::int64_t submit(const model::Job& job) {
    std::int64_t number = -1;
    step({[&](Change& change) -> Answer {
      const JobId id{change.next_job(), -1};
      const bool ok = change.record(model::JobSubmitted{.id = id, .job = job}).has_value();
      return [&number, id, ok] { number = ok ? id.number : 0; };
    }});
    return number;
  }
  // The message of the refusal; empty: done.
  std::string ask(const std::function<base::Result<void>(Change&)>& what) {
    std::string said = "not answered";
    step({[&](Change& change) -> Answer {
      const base::Result<void> ok = what(change);
      return [&said, text = ok ? std::string() : ok.error().message] { said = text; };
    }});
    return said;
  }

  const schedule::State& state() const { return controller_->state(); }
  const schedule::JobEntry& job(std::int64_t number) const {
    return state().job(state().find({number, -1}));
  }
  bool runs(std::int64_t number) const {
    return state().find({number, -1}).valid() &&
           job(number).status == schedule::JobStatus::kRunning;
  }
  schedule::JobOutcome outcome(std::int64_t number) const { return state().outcome(number); }
  bool alive() const { return alive_; }
  const std::string& why_dead() const { return why_dead_; }
  Controller& controller() { return *controller_; }

  SimulatedDisk disk;
  SimulatedMachine machine;
  SimulatedClock clock;
  ControllerOptions options;

 private:
  FirstSite first_;
  bool faulty_;
  base::Rng rng_;
  bool alive_ = false;
  std::string why_dead_;
  std::unique_ptr<SimulatedStore> store_;
  std::unique_ptr<SimulatedEngine> engine_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace

TEST(Controller, AJobRunsFromSubmissionToItsEnd) {
  Server server;
  const std::int64_t job = server.submit(job_of(4, "10"));
  EXPECT_EQ(job, 1);
  EXPECT_TRUE(server.runs(job));
  EXPECT_EQ(server.machine.processes.size(), 1u);
  server.pass(10'000);
  EXPECT_EQ(server.outcome(job), schedule::JobOutcome::kCompleted);
  EXPECT_TRUE(server.machine.processes.empty());  // forgotten
}

TEST(Controller, WhatDoesNotFitWaitsAndStartsWithinTheStepThatMakesRoom) {
  Server server(1);
  const std::int64_t first = server.submit(job_of(4, "10"));
  const std::int64_t second = server.submit(job_of(4, "10"));
  EXPECT_TRUE(server.runs(first));
  EXPECT_FALSE(server.runs(second));
  server.pass(10'000);
  EXPECT_TRUE(server.runs(second));
}

TEST(Controller, ALaunchThatIsRefusedFailsTheJob) {
  Server server;
  const std::int64_t job = server.submit(job_of(1, "refuse"));
  server.step();
  EXPECT_EQ(server.outcome(job), schedule::JobOutcome::kFailed);
}

TEST(Controller, ARefusedRequestLeavesNothingBehind) {
  Server server;
  model::Job job = job_of(1, "10");
  job.queue = "nowhere";
  const std::uint64_t before = server.state().digest();
  EXPECT_EQ(server.submit(job), 0);
  EXPECT_EQ(server.state().digest(), before);
  EXPECT_EQ(server.disk.records.size(), 0u);
}

TEST(Controller, SeveralEventsAreRecordedAllOrNone) {
  Server server;
  const std::string said = server.ask([&](Change& change) {
    return change.record_all({model::NodeDrained{model::NodeId{0}, "fan"},
                              model::NodeDrained{model::NodeId{77}, "no such node"}});
  });
  EXPECT_NE(said, "");
  EXPECT_NE(said, "not answered");
  EXPECT_TRUE(server.disk.records.empty());
  EXPECT_TRUE(server.runs(server.submit(job_of(4, "10"))));
}

TEST(Controller, ACancelledJobIsStoppedAndItsResourcesGoToTheNext) {
  Server server(1);
  const std::int64_t first = server.submit(job_of(4, "1000"));
  const std::int64_t second = server.submit(job_of(4, "10"));
  EXPECT_EQ(server.ask([&](Change& change) {
    return change.record(model::JobCancelled{{first, -1}, "ana"});
  }),
            "");
  EXPECT_FALSE(server.runs(second));  // held until the engine confirms the end
  server.pass(500);
  EXPECT_EQ(server.outcome(first), schedule::JobOutcome::kCancelled);
  EXPECT_TRUE(server.runs(second));
}

TEST(Controller, ARequeuedJobWaitsAgainWithItsAgeAndRunsAsTheNextAttempt) {
  Server server(1);
  const std::int64_t job = server.submit(job_of(4, "1000"));
  const base::Time age = server.job(job).queued_since;
  server.clock.pass(Duration{5'000});
  EXPECT_EQ(server.ask([&](Change& change) { return change.requeue({job, -1}); }), "");
  server.pass(500);
  EXPECT_TRUE(server.runs(job));
  EXPECT_EQ(server.job(job).attempt, 2);
  EXPECT_EQ(server.job(job).queued_since, age);
}

TEST(Controller, ALostNodeRequeuesTheJobThatRanThere) {
  Server server(1);
  const std::int64_t job = server.submit(job_of(4, "1000"));
  server.clock.pass(Duration{5'000});
  EXPECT_EQ(server.ask([&](Change& change) {
    return change.record(model::NodeFailed{model::NodeId{0}, "power"});
  }),
            "");
  server.pass(500);
  EXPECT_FALSE(server.runs(job));
  EXPECT_EQ(server.job(job).status, schedule::JobStatus::kWaiting);
  EXPECT_TRUE(server.machine.processes.empty());
  EXPECT_EQ(server.ask([&](Change& change) {
    return change.record(model::NodeRecovered{model::NodeId{0}});
  }),
            "");
  EXPECT_TRUE(server.runs(job));
}

TEST(Controller, AfterARestartTheStateIsTheSameAndRunningJobsAreUntouched) {
  Server server(1);
  const std::int64_t first = server.submit(job_of(4, "100"));
  const std::int64_t second = server.submit(job_of(2, "100"));
  server.pass(1'000);
  const std::uint64_t digest = server.state().digest();
  server.start();
  ASSERT_TRUE(server.alive()) << server.why_dead();
  EXPECT_EQ(server.state().digest(), digest);
  EXPECT_TRUE(server.runs(first));
  EXPECT_FALSE(server.runs(second));
  EXPECT_EQ(server.machine.starts.size(), 1u);
  server.pass(99'000);
  EXPECT_EQ(server.outcome(first), schedule::JobOutcome::kCompleted);
  EXPECT_TRUE(server.runs(second));
}

TEST(Controller, AfterAShutDownTheStateComesFromTheSnapshotAlone) {
  Server server;
  server.submit(job_of(4, "100"));
  ASSERT_TRUE(server.controller().shut_down().has_value());
  const std::uint64_t digest = server.state().digest();
  server.disk.records.clear();
  server.start();
  ASSERT_TRUE(server.alive()) << server.why_dead();
  EXPECT_EQ(server.state().digest(), digest);
}

TEST(Controller, ASecondServerTakesOverAndTheFirstOneCanWriteNoMore) {
  Server server;
  SimulatedStore second(server.disk);
  EXPECT_FALSE(server.submit(job_of(1, "10")) > 0);
  EXPECT_FALSE(server.alive());
}

TEST(Controller, TheWallClockMayJumpAndNoTimeLimitRunsOut) {
  Server server;
  model::Job job = job_of(1, "100");
  job.time = Duration{600'000};
  const std::int64_t number = server.submit(job);
  server.clock.set_wall(server.clock.wall() + Duration{86'400'000});
  server.step();
  EXPECT_TRUE(server.state().now() < server.clock.wall() + Duration{-86'000'000});
  (void)number;
}

// Random lives: requests of all kinds, an engine that is late and tells things twice, and a process
// that dies at any commit, whether or not the disk has it. What must hold: what was acknowledged is
// there; nothing starts twice; what the journal says is what the state is.
TEST(Controller, NothingAcknowledgedIsLostAndNothingRunsTwiceWhereverItDies) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Rng rng(seed);
    Server server(2, true, seed);
    std::set<std::int64_t> acknowledged;
    int deaths = 0;
    for (int i = 0; i < 120; ++i) {
      if (server.disk.commits_left < 0 && rng.chance(1, 12)) {
        server.disk.commits_left = rng.between(0, 3);
        server.disk.fails_after_writing = rng.chance(1, 2);
      }
      const std::int64_t some = rng.between(1, 40);
      switch (rng.below(6)) {
        case 0:
        case 1: {
          const std::string runs[] = {"0", "2", "20", "fail", "refuse"};
          model::Job job = job_of(static_cast<int>(rng.between(1, 4)), runs[rng.below(5)]);
          job.retries = rng.between(0, 1);
          const std::int64_t number = server.submit(job);
          if (number > 0) {
            EXPECT_TRUE(acknowledged.insert(number).second) << number;
          }
          break;
        }
        case 2:
          server.ask([&](Change& change) {
            return change.record(model::JobCancelled{{some, -1}, "ana"});
          });
          break;
        case 3:
          server.ask([&](Change& change) { return change.requeue({some, -1}); });
          break;
        case 4: {
          const model::NodeId node{static_cast<std::size_t>(some % 2)};
          server.ask([&](Change& change) -> base::Result<void> {
            if (change.state().node_failed(node)) {
              return change.record(model::NodeRecovered{node});
            }
            return change.record(model::NodeFailed{node, "power"});
          });
          break;
        }
        default:
          server.pass(rng.between(0, 3'000));
      }
      for (int tries = 0; !server.alive(); ++tries) {
        ++deaths;
        ASSERT_LT(tries, 5) << server.why_dead();
        server.disk.commits_left = -1;
        server.start();
      }
      for (const auto& [id, count] : server.machine.starts) ASSERT_EQ(count, 1);
    }
    server.disk.commits_left = -1;
    for (std::size_t n = 0; n < 2; ++n) {
      server.ask([&](Change& change) -> base::Result<void> {
        return change.record(model::NodeRecovered{model::NodeId{n}});
      });
    }
    for (int i = 0; i < 2'000 && server.state().job_count() > 0; ++i) server.pass(1'000);
    EXPECT_EQ(server.state().job_count(), 0u);
    for (const std::int64_t number : acknowledged) {
      EXPECT_NE(server.outcome(number), schedule::JobOutcome::kUnknown) << "job " << number;
    }
    // The journal alone gives the same state.
    const std::uint64_t digest = server.state().digest();
    server.start();
    ASSERT_TRUE(server.alive()) << server.why_dead();
    EXPECT_EQ(server.state().digest(), digest);
    EXPECT_GT(deaths, 0);
  }
}

}  // namespace headroom::server

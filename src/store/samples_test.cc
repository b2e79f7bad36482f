// A small made-up journal for the tests of the store.
#include "store/store_contract_test.h"

namespace headroom::store {

namespace {

constexpr std::int64_t kStart = 1'764'500'000'000;

// Four records a job: it comes, is started, runs and ends.
std::variant<model::Event, model::Decision> what_of(std::uint64_t sequence) {
  const auto number = static_cast<std::int64_t>((sequence + 3) / 4);
  const model::AllocationId id{{number, -1}, 1};
  switch (sequence % 4) {
    case 1: {
      model::Job job{.job = "job-" + std::to_string(number),
                     .queue = number % 2 == 0 ? "a" : "b",
                     .user = "ana",
                     .run = "train.py"};
      job.groups = {{.name = "", .tasks = 2, .request = {.gpu = model::GpuRequest::whole(1)}}};
      job.env = {{"SEED", std::to_string(number)}};
      return model::Event{model::JobSubmitted{{number, -1}, job, {}, base::Duration{1000}}};
    }
    case 2: {
      const model::NodeId node{static_cast<std::size_t>(number % 2)};
      return model::Decision{model::StartJob{
          id, {{0, 0, node, {{0, base::kWholeGpu}}}, {0, 1, node, {{1, base::kWholeGpu}}}}}};
    }
    case 3:
      return model::Event{model::AllocationStarted{id}};
    default:
      return model::Event{model::AllocationEnded{.id = id, .exit_code = number % 3}};
  }
}

}  // namespace

model::Record sample_record(std::uint64_t sequence) {
  return {.sequence = sequence,
          .time = base::Time{kStart + static_cast<std::int64_t>(sequence) * 1000},
          .what = what_of(sequence)};
}

std::vector<model::Record> sample_records(std::uint64_t first, std::uint64_t last) {
  std::vector<model::Record> records;
  for (std::uint64_t i = first; i <= last; ++i) records.push_back(sample_record(i));
  return records;
}

model::Cluster sample_cluster() {
  model::Cluster made;
  made.name = "small";
  made.gpu_models.push_back({.name = "H100-SXM", .memory = base::gibibytes(80)});
  const model::ShapeId shape = made.intern_shape({.pool = "h100",
                                                  .cpu = base::CpuMilli{96'000},
                                                  .memory = base::gibibytes(1024),
                                                  .gpu_model = model::GpuModelId{0},
                                                  .gpus = 8});
  made.nodes = {{"n0", shape}, {"n1", shape}};
  return made;
}

AuditEntry sample_audit(std::int64_t n) {
  return {.time = base::Time{kStart + n},
          .actor = "ana",
          .via = "socket",
          .address = "local",
          .verb = "submit",
          .object = "job " + std::to_string(n),
          .outcome = "allowed",
          .detail = "",
          .request = "r" + std::to_string(n)};
}

base::Result<std::vector<model::Record>> read_all(Store& store, std::uint64_t sequence) {
  std::vector<model::Record> records;
  auto read = store.records(sequence, [&](const model::Record& one) -> base::Result<void> {
    records.push_back(one);
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return records;
}

}  // namespace headroom::store

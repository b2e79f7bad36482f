#include "tests/random_case.h"

#include <algorithm>
#include <set>
#include <string>

namespace headroom::tests {

namespace {

template <class T>
const T& pick(base::Rng& rng, const std::vector<T>& from) {
  return from[rng.below(from.size())];
}

model::NodeShape random_shape(base::Rng& rng, const model::Cluster& cluster) {
  model::NodeShape shape;
  shape.pool = "p" + std::to_string(rng.below(2));
  shape.cpu = base::CpuMilli{1000 * rng.between(4, 128)};
  shape.memory = base::gibibytes(rng.between(8, 512));
  if (!rng.chance(1, 8)) {
    shape.gpu_model = model::GpuModelId{rng.below(cluster.gpu_models.size())};
    shape.gpus = static_cast<int>(rng.between(1, rng.chance(1, 6) ? 16 : 8));
    shape.mig = cluster.gpu_models[shape.gpu_model.index()].mig_slices > 0 && rng.chance(3, 4);
  }
  if (rng.chance(1, 3)) shape.labels.emplace_back("zone", "a");
  return shape;
}

model::GpuRequest random_gpu(base::Rng& rng) {
  static const std::vector<std::string> profiles = {"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb",
                                                    "3g.40gb", "4g.40gb",    "7g.80gb", "1g.6gb",
                                                    "2g.12gb", "4g.24gb"};
  static const std::vector<std::int64_t> shares = {50, 110, 190, 320, 470, 500, 810, 999, 1000};
  switch (rng.below(8)) {
    case 0:
      return {};
    case 1:
    case 2:
      return model::GpuRequest::whole(1);
    case 3:
      return model::GpuRequest::whole(static_cast<int>(rng.between(2, 8)));
    case 4:
      return model::GpuRequest::amount(base::gigabytes(rng.between(1, 90)));
    case 5:
      return model::GpuRequest::mig(pick(rng, profiles));
    default:
      return model::GpuRequest::fraction(base::GpuMilli{pick(rng, shares)});
  }
}

model::Request random_request(base::Rng& rng, const model::Cluster& cluster) {
  model::Request request;
  request.cpu = base::CpuMilli{100 * rng.between(0, 200)};
  request.memory = base::gibibytes(rng.between(0, 64));
  request.gpu = random_gpu(rng);
  if (rng.chance(1, 6)) request.gpu_models = {pick(rng, cluster.gpu_models).name};
  if (rng.chance(1, 10)) request.min_gpu_memory = base::gigabytes(40);
  if (rng.chance(1, 10)) request.labels.emplace_back("zone", "a");
  request.exclusive = rng.chance(1, 20);
  return request;
}

}  // namespace

model::GpuModel a100() {
  return {.name = "A100-80-SXM",
          .memory = base::gigabytes(80),
          .mig_slices = 8,
          .mig_profiles = {{"1g.10gb", 1, 0x7f, 7},
                           {"1g.10gb+me", 1, 0x7f, 1},
                           {"1g.20gb", 2, 0x55, 4},
                           {"2g.20gb", 2, 0x15, 3},
                           {"3g.40gb", 4, 0x11, 2},
                           {"4g.40gb", 4, 0x01, 1},
                           {"7g.80gb", 8, 0x01, 1}}};
}

model::GpuModel a30() {
  return {.name = "A30",
          .memory = base::gigabytes(24),
          .mig_slices = 4,
          .mig_profiles = {{"1g.6gb", 1, 0x0f, 4},
                           {"1g.6gb+me", 1, 0x0f, 1},
                           {"2g.12gb", 2, 0x05, 2},
                           {"2g.12gb+me", 2, 0x05, 1},
                           {"4g.24gb", 4, 0x01, 1}}};
}

RandomCase random_case(base::Rng& rng) {
  auto cluster = std::make_shared<model::Cluster>();
  cluster->gpu_models = {a100(), a30(), {.name = "T4", .memory = base::gigabytes(16)}};
  std::vector<model::ShapeId> shapes;
  for (std::int64_t left = rng.between(1, 4); left > 0; --left) {
    shapes.push_back(cluster->intern_shape(random_shape(rng, *cluster)));
  }
  RandomCase made;
  for (std::int64_t left = rng.between(1, 12); left > 0; --left) {
    made.order.emplace_back(cluster->nodes.size());
    cluster->nodes.push_back({"n" + std::to_string(cluster->nodes.size()), pick(rng, shapes)});
  }
  rng.shuffle(made.order);
  std::set<model::Request> distinct;
  for (std::int64_t left = rng.between(2, 10); left > 0; --left) {
    distinct.insert(random_request(rng, *cluster));
  }
  made.requests.assign(distinct.begin(), distinct.end());
  for (const model::Request& request : made.requests) {
    made.mix.push_back({request, rng.between(1, 50)});
  }
  made.cluster = std::move(cluster);
  return made;
}

}  // namespace headroom::tests

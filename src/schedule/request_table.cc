#include "schedule/request_table.h"

#include "base/digest.h"

namespace headroom::schedule {

namespace {

std::uint64_t digest_of(const model::Request& request) {
  base::Digest digest;
  digest.add(request.cpu.value());
  digest.add(request.memory.value());
  digest.add(static_cast<std::uint64_t>(request.gpu.kind));
  digest.add(std::int64_t{request.gpu.count});
  digest.add(request.gpu.share.value());
  digest.add(request.gpu.memory.value());
  digest.add(request.gpu.profile);
  digest.add(static_cast<std::uint64_t>(request.gpu_models.size()));
  for (const std::string& name : request.gpu_models) digest.add(name);
  digest.add(request.min_gpu_memory.value());
  for (const model::Label& label : request.labels) {
    digest.add(label.first);
    digest.add(label.second);
  }
  digest.add(std::uint64_t{request.exclusive});
  return digest.value();
}

}  // namespace

RequestId RequestTable::intern(const model::Request& request, const model::Cluster& cluster) {
  if (const RequestId known = find(request); known.valid()) return known;
  const RequestId id{entries_.size()};
  auto entry = std::make_shared<Entry>();
  entry->request = request;
  entry->digest = digest_of(request);
  entry->by_shape.reserve(cluster.shapes.size());
  for (const model::NodeShape& shape : cluster.shapes) {
    entry->by_shape.push_back(resolve(request, shape, cluster));
  }
  entries_.push_back(std::move(entry));
  ids_.emplace(request, id);
  return id;
}

void RequestTable::add_shapes(const model::Cluster& cluster, std::size_t first) {
  for (std::shared_ptr<const Entry>& one : entries_) {
    auto entry = std::make_shared<Entry>(*one);
    for (std::size_t i = first; i < cluster.shapes.size(); ++i) {
      entry->by_shape.push_back(resolve(entry->request, cluster.shapes[i], cluster));
    }
    one = std::move(entry);
  }
}

RequestId RequestTable::find(const model::Request& request) const {
  const auto found = ids_.find(request);
  return found == ids_.end() ? RequestId::none() : found->second;
}

}  // namespace headroom::schedule

#include "store/projection.h"

#include <type_traits>
#include <variant>

#include "store/projection_writer.h"

namespace headroom::store {

Projection::Writer::Writer(Database& db) : db_(db), to_(db) { load_nodes(); }

void Projection::Writer::apply(const model::Record& record) {
  sequence_ = record.sequence;
  now_ = record.time;
  std::visit([this](const auto& half) { std::visit(*this, half); }, record.what);
}

Projection::Projection(Database& db) : writer_(std::make_unique<Writer>(db)) {}
Projection::~Projection() = default;

void Projection::set_cluster(const model::Cluster& cluster, base::Time time) {
  writer_->set_cluster(cluster, time);
}
void Projection::apply(const model::Record& record) { writer_->apply(record); }

}  // namespace headroom::store

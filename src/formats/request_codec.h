// The keys that say what one task asks of one node (`gpus`, `cpus`, …): the same in a job, in each
// of its groups and in a tasks.csv.
#pragma once

#include <string>
#include <vector>

#include "formats/codec.h"
#include "formats/codecs.h"
#include "model/request.h"

namespace headroom::formats {

// 8 · 250m (a share) · 20GiB (an amount of GPU memory) · 2g.20gb (a MIG profile)
Codec<model::GpuRequest> gpu_request();
// H100, or [H200, H100]: all products that the names stand for, in that order.
Codec<std::vector<std::string>> gpu_wish();
// '>=80GB'
Codec<base::Bytes> least_memory();

// A GPU wish needs GPUs, and the MIG profile must exist on one of the products wished for.
void check_request(const model::Request& request, const Value& value, Context& context);

// The keys of a request that is a part of an Owner: `access(owner)` is a Request&.
template <class Owner, class Access>
std::vector<Field<Owner>> request_fields(Access access) {
  using model::Request;
  const auto at = [access](auto member) {
    return [access, member](auto& owner) -> auto& { return access(owner).*member; };
  };
  return {field_at<Owner>("gpus", at(&Request::gpu), gpu_request(),
                          "of a task: 8, 250m, 20GiB or 2g.20gb"),
          field_at<Owner>("cpus", at(&Request::cpu), cores(), "of a task"),
          field_at<Owner>("memory", at(&Request::memory), bytes(), "of a task"),
          field_at<Owner>("gpu_model", at(&Request::gpu_models), gpu_wish(),
                          "products that will do, in order of preference"),
          field_at<Owner>("gpu_memory", at(&Request::min_gpu_memory), least_memory(),
                          "of each GPU, at least: '>=80GB'"),
          field_at<Owner>("labels", at(&Request::labels), text_map(), "that the node must have"),
          field_at<Owner>("exclusive", at(&Request::exclusive), yes_or_no(),
                          "no other task on the node")};
}

}  // namespace headroom::formats

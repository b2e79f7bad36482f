#include "formats/request_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/mig_profiles.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using model::GpuRequest;
using model::Request;

namespace {

Result<GpuRequest> parse_gpu_request(std::string_view text, const Known& known) {
  if (looks_like_mig_profile(text)) {
    Result<std::string> profile = known.mig_profile(text);
    if (!profile) return tl::unexpected(profile.error());
    return GpuRequest::mig(std::move(*profile));
  }
  if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    const auto count = parse_integer(text, 0, model::kMaxGpusPerNode);
    if (!count) return tl::unexpected(count.error());
    return *count == 0 ? GpuRequest{} : GpuRequest::whole(static_cast<int>(*count));
  }
  if (text.ends_with('m')) {
    const auto share = parse_share(text);
    if (!share) return tl::unexpected(share.error());
    return GpuRequest::fraction(*share);
  }
  const auto memory = parse_bytes(text);
  if (memory && memory->value() > 0) return GpuRequest::amount(*memory);
  return base::fail(
      fmt::format("{} is not a number of GPUs (0..{}), a share (250m), an amount of GPU memory "
                  "(20GiB) or a MIG "
                  "profile (2g.20gb)",
                  shown(text), model::kMaxGpusPerNode));
}

Value print_gpu_request(const GpuRequest& gpu) {
  switch (gpu.kind) {
    case GpuRequest::Kind::kNone:
      return Value::number(0);
    case GpuRequest::Kind::kWhole:
      return Value::number(gpu.count);
    case GpuRequest::Kind::kShare:
      return Value::plain(print_share(gpu.share));
    case GpuRequest::Kind::kMemory:
      return Value::plain(print_bytes(gpu.memory));
    case GpuRequest::Kind::kMig:
      return Value::plain(gpu.profile);
  }
  return {};
}

// Whether the product of this name has the profile.
bool has_profile(const Known& known, const std::string& product_name, const std::string& profile) {
  for (const model::GpuModel& gpu : known.own) {
    if (gpu.name == product_name) return gpu.profile(profile) != nullptr;
  }
  const model::Product* const product = known.catalogue->find(product_name);
  return product != nullptr && product->gpu.profile(profile) != nullptr;
}

}  // namespace

Codec<GpuRequest> gpu_request() {
  Codec<GpuRequest> codec;
  codec.schema =
      any_of({integer_schema(0, model::kMaxGpusPerNode), string_schema("^[1-9][0-9]{0,2}m$"),
              bytes().schema, string_schema("^[0-9]+g\\.[0-9]+gb(\\+me|\\+gfx|-me)?$")});
  codec.read = [](const Value& value, Context& context, GpuRequest& into) {
    if (!expect_kind(value, context, Value::Kind::kScalar)) return;
    const Result<GpuRequest> result = parse_gpu_request(value.text, context.known());
    if (result) {
      into = *result;
    } else {
      context.problem(value, result.error().message);
    }
  };
  codec.write = print_gpu_request;
  return codec;
}

Codec<std::vector<std::string>> gpu_wish() {
  using Names = std::vector<std::string>;
  Codec<Names> codec;
  const Value one = text().schema;
  codec.schema = any_of({one, list_schema(one)});
  const auto add = [](const Value& value, Context& context, Names& into) {
    if (!expect_kind(value, context, Value::Kind::kScalar)) return;
    const Result<Names> names = context.known().wish(value.text);
    if (!names) return context.problem(value, names.error().message);
    for (const std::string& name : *names) {
      if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(name);
    }
  };
  codec.read = [add](const Value& value, Context& context, Names& into) {
    if (!value.is_list()) return add(value, context, into);
    if (value.items.empty()) context.problem(value, "the list is empty");
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Context::Inside inside(context, "[" + std::to_string(i) + "]");
      add(value.items[i], context, into);
    }
  };
  codec.write = [](const Names& from) {
    Value value = Value::list();
    for (const std::string& name : from) value.items.push_back(Value::string(name));
    return value;
  };
  return codec;
}

Codec<base::Bytes> least_memory() {
  const auto parse = [](std::string_view text) -> Result<base::Bytes> {
    if (!text.starts_with(">=")) {
      return base::fail(shown(text) + " does not begin with >= (such as '>=80GB')");
    }
    text.remove_prefix(2);
    if (text.starts_with(' ')) text.remove_prefix(1);
    return parse_bytes(text);
  };
  const auto print = [](const base::Bytes& value) { return ">=" + print_bytes(value); };
  std::string pattern = bytes().schema.find("pattern")->text;
  pattern.replace(0, 1, "^>= ?");
  return scalar<base::Bytes>(parse, print, string_schema(pattern));
}

void check_request(const Request& request, const Value& value, Context& context) {
  const auto at = [&](const char* key) {
    const Value* const found = value.find(key);
    return found == nullptr ? value : *found;
  };
  if (request.gpu.kind == GpuRequest::Kind::kNone) {
    if (!request.gpu_models.empty()) {
      context.problem_in(at("gpu_model"), ".gpu_model", "given for tasks without GPUs");
    }
    if (request.min_gpu_memory.value() > 0) {
      context.problem_in(at("gpu_memory"), ".gpu_memory", "given for tasks without GPUs");
    }
  }
  if (request.gpu.kind != GpuRequest::Kind::kMig || request.gpu_models.empty()) return;
  const auto suits = [&](const std::string& name) {
    return has_profile(context.known(), name, request.gpu.profile);
  };
  if (std::any_of(request.gpu_models.begin(), request.gpu_models.end(), suits)) return;
  context.problem_in(at("gpus"), ".gpus",
                     fmt::format("{} is not a MIG profile of {}", request.gpu.profile,
                                 one_of(request.gpu_models)));
}

}  // namespace headroom::formats

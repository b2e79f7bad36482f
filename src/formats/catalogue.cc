#include "formats/catalogue.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "formats/csv.h"
#include "formats/message.h"
#include "formats/mig_profiles.h"
#include "formats/units.h"

extern "C" {
extern const char headroom_hardware_csv[];
extern const char headroom_hardware_csv_end[];
extern const char headroom_fabric_csv[];
extern const char headroom_fabric_csv_end[];
}

namespace headroom::formats {

using base::Result;
using model::Product;
using model::ReferenceFabric;

namespace {

enum ProductColumn : std::size_t {
  kGpu,
  kForm,
  kArch,
  kBf16,
  kFp8,
  kFp4,
  kMamfBf16,
  kMamfFp8,
  kHbm,
  kHbmRate,
  kNvlink,
  kPcie,
  kTdp,
  kSlices,
  kProfiles,
  kTypicalNode,
  kGpusPerNode,
  kNodePower,
  kNodeNics,
  kSourceSpecs,
  kSourceMig,
  kSourceNode,
  kNote
};

const CsvColumns kProductColumns{.required = {"gpu",
                                              "form",
                                              "arch",
                                              "bf16_tflops_dense",
                                              "fp8_tflops_dense",
                                              "fp4_tflops_dense",
                                              "mamf_bf16_tflops",
                                              "mamf_fp8_tflops",
                                              "hbm_gb",
                                              "hbm_gb_s",
                                              "nvlink_gb_s_unidir",
                                              "pcie_gb_s_unidir",
                                              "tdp_w",
                                              "mig_memory_slices",
                                              "mig_profiles",
                                              "typical_node",
                                              "gpus_per_node",
                                              "node_max_power_kw",
                                              "node_nics",
                                              "source_specs",
                                              "source_mig",
                                              "source_node",
                                              "note"},
                                 .quotes = true};

constexpr std::int64_t kTera = 1'000'000'000'000;
constexpr std::int64_t kGiga = 1'000'000'000;
constexpr std::int64_t kKilo = 1000;

// A number times `scale`, or 0 for an empty cell.
template <class Q>
Result<void> read_scaled(const Csv& csv, std::size_t column, std::int64_t scale, Q& into) {
  if (csv.field(column).empty()) return {};
  const Result<std::int64_t> value = scale_decimal(csv.field(column), scale, 1);
  if (!value) return csv.bad(column, value.error().message);
  into = Q{*value};
  return {};
}

Result<void> read_rates(const Csv& csv, Product& product) {
  Result<void> done = read_scaled(csv, kBf16, kTera, product.bf16_dense);
  if (done) done = read_scaled(csv, kFp8, kTera, product.fp8_dense);
  if (done) done = read_scaled(csv, kFp4, kTera, product.fp4_dense);
  if (done) done = read_scaled(csv, kMamfBf16, kTera, product.bf16_achievable);
  if (done) done = read_scaled(csv, kMamfFp8, kTera, product.fp8_achievable);
  if (done) done = read_scaled(csv, kHbm, kGiga, product.gpu.memory);
  if (done) done = read_scaled(csv, kHbmRate, kGiga, product.memory_rate);
  if (done) done = read_scaled(csv, kNvlink, kGiga, product.nvlink_rate);
  if (done) done = read_scaled(csv, kPcie, kGiga, product.pcie_rate);
  if (done) done = read_scaled(csv, kTdp, 1, product.power);
  if (done) done = read_scaled(csv, kNodePower, kKilo, product.node_power);
  return done;
}

Result<void> read_texts(const Csv& csv, Product& product) {
  const auto text = [&](std::size_t column) { return std::string(csv.field(column)); };
  product.gpu.name = text(kGpu);
  product.form = text(kForm);
  product.architecture = text(kArch);
  product.typical_node = text(kTypicalNode);
  product.node_nics = text(kNodeNics);
  product.source_specs = text(kSourceSpecs);
  product.source_mig = text(kSourceMig);
  product.source_node = text(kSourceNode);
  product.note = text(kNote);
  for (std::size_t column : {kGpu, kSourceSpecs, kHbm}) {
    if (csv.field(column).empty()) return csv.bad(column, "the cell is empty");
  }
  return {};
}

Result<void> read_product(const Csv& csv, std::vector<Product>& products) {
  Product product;
  if (auto done = read_texts(csv, product); !done) return done;
  if (auto done = read_rates(csv, product); !done) return done;
  if (!csv.field(kGpusPerNode).empty()) {
    const auto gpus = csv.integer(kGpusPerNode, 1, 16);
    if (!gpus) return tl::unexpected(gpus.error());
    product.gpus_per_node = static_cast<int>(*gpus);
  }
  const auto slices = csv.integer(kSlices, 0, 8);
  if (!slices) return tl::unexpected(slices.error());
  const auto done = parse_mig_profiles(csv.field(kProfiles), static_cast<int>(*slices), product);
  if (!done) return csv.bad(kProfiles, done.error().message);
  for (const Product& other : products) {
    if (other.gpu.name != product.gpu.name) continue;
    return csv.bad(kGpu, shown(product.gpu.name) + " is there twice");
  }
  products.push_back(std::move(product));
  return {};
}

const CsvColumns kFabricColumns{
    .required = {"fabric", "unit", "nodes", "gpus", "leaf", "spine", "core", "note", "source"},
    .quotes = true};

Result<void> read_fabric(const Csv& csv, std::vector<ReferenceFabric>& fabrics) {
  const auto text = [&](std::size_t column) { return std::string(csv.field(column)); };
  ReferenceFabric fabric{.fabric = text(0), .unit = text(1), .note = text(7), .source = text(8)};
  std::int64_t* const numbers[] = {&fabric.nodes, &fabric.gpus, &fabric.leaf_switches,
                                   &fabric.spine_switches, &fabric.core_switches};
  for (std::size_t column = 2; column <= 6; ++column) {
    if (csv.field(column).empty()) continue;
    const auto value = csv.integer(column, 0, 10'000'000);
    if (!value) return tl::unexpected(value.error());
    *numbers[column - 2] = *value;
  }
  fabrics.push_back(std::move(fabric));
  return {};
}

template <class T, class ReadRow>
Result<std::vector<T>> read_table(const std::string& name, const std::string& text,
                                  const CsvColumns& columns, const ReadRow& read_row) {
  Result<Csv> csv = Csv::open(name, text, columns);
  if (!csv) return tl::unexpected(csv.error());
  Rows<std::vector<T>> rows;
  const auto parse = [&] { return read_row(*csv, rows.value); };
  const Result<void> done = for_each_row(*csv, Strictness{}, rows, parse);
  if (!done) return tl::unexpected(done.error());
  return std::move(rows.value);
}

model::Catalogue make_built_in() {
  Result<std::vector<Product>> products = read_products("hardware.csv", built_in_hardware_csv());
  Result<std::vector<ReferenceFabric>> fabrics =
      read_reference_fabrics("fabric_sizes.csv", built_in_fabric_csv());
  HEADROOM_ASSERT(products && fabrics);  // a test reads the same files
  return {.products = std::move(*products), .fabrics = std::move(*fabrics)};
}

}  // namespace

Result<std::vector<Product>> read_products(const std::string& name, const std::string& text) {
  return read_table<Product>(name, text, kProductColumns, read_product);
}

Result<std::vector<ReferenceFabric>> read_reference_fabrics(const std::string& name,
                                                            const std::string& text) {
  return read_table<ReferenceFabric>(name, text, kFabricColumns, read_fabric);
}

const model::Catalogue& built_in_catalogue() {
  static const model::Catalogue catalogue = make_built_in();
  return catalogue;
}

std::string built_in_hardware_csv() { return {headroom_hardware_csv, headroom_hardware_csv_end}; }

std::string built_in_fabric_csv() { return {headroom_fabric_csv, headroom_fabric_csv_end}; }

}  // namespace headroom::formats

// The hardware catalogue, read from data/catalogue/*.csv. The files are part of the program (they
// are data, not code, but an installed program needs nothing beside it). A row that cannot be
// understood is an error: there is no lenient mode.
//
//   const model::Catalogue& catalogue = built_in_catalogue();
//   catalogue.find("h100-sxm")->gpu.memory
#pragma once

#include <string>

#include "base/result.h"
#include "model/catalogue.h"

namespace headroom::formats {

// The texts of hardware.csv and fabric_sizes.csv; names are for messages.
base::Result<std::vector<model::Product>> read_products(const std::string& name,
                                                        const std::string& text);
base::Result<std::vector<model::ReferenceFabric>> read_reference_fabrics(const std::string& name,
                                                                         const std::string& text);

// What the program was built with. Made at the first call.
const model::Catalogue& built_in_catalogue();

// The texts that it is made from.
std::string built_in_hardware_csv();
std::string built_in_fabric_csv();

}  // namespace headroom::formats

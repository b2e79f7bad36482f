// Known: the GPU products that a file may name: those of the catalogue and those that a site
// declares itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/catalogue.h"

namespace headroom::formats {

struct Known {
  const model::Catalogue* catalogue = nullptr;  // never null when used
  std::vector<model::GpuModel> own;             // the site's

  // Every name that can be used, the site's own first.
  std::vector<std::string> names() const;

  // The one product that a name stands for. Errors: unknown, with the nearest; several, with the
  // choices.
  base::Result<std::string> product(std::string_view name) const;

  // All products that a job's wish stands for, in the catalogue's order. Error: unknown.
  base::Result<std::vector<std::string>> wish(std::string_view name) const;

  // The canonical spelling of a MIG profile. Error: no product has it, with the nearest.
  base::Result<std::string> mig_profile(std::string_view name) const;
};

// The catalogue of the program, and nothing else.
Known known_products();

}  // namespace headroom::formats

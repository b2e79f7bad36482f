// One line for a record, a few for a site, to follow a life that went wrong.
#pragma once

#include "model/record.h"
#include "tests/simtest/site.h"

namespace headroom::simtest {

void print(const model::Record& record);
void print(const Site& site);

}  // namespace headroom::simtest

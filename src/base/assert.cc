#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace headroom::base {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: a rule of the program was broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace headroom::base

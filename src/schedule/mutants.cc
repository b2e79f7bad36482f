#include "schedule/mutants.h"

#ifdef HEADROOM_MUTANTS
namespace headroom::schedule {

Mutant planted = Mutant::kNone;

bool odd_call() {
  static unsigned calls = 0;
  return ++calls % 2 == 1;
}

}  // namespace headroom::schedule
#endif

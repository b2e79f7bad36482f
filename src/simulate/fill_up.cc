#include "simulate/fill_up.h"

namespace headroom::simulate {

base::Result<FillUpResult> fill_up(const FillUp&) { return base::fail("not built yet"); }

}  // namespace headroom::simulate

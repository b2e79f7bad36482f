#include "cli/pack_report.h"
namespace headroom::cli {
std::string pack_report(const PackOutcome&, const std::map<std::string, Bound>&) { return ""; }
}  // namespace headroom::cli

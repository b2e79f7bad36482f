// The engine contract for the local engine, with control groups where they can be made.
#include <unistd.h>

#include "engine/contract_test.h"
#include "engine/local_cgroup.h"
#include "engine/testing/local_host.h"

namespace headroom::engine {
namespace {

class LocalHost : public ContractHost {
 public:
  std::unique_ptr<Engine> open() override { return place_.open(); }
  std::string scratch() const override { return place_.scratch(); }
  std::string no_memory_limits() const override {
    return groups_.memory.empty() ? "memory control groups cannot be made here" : "";
  }
  ~LocalHost() override { leave_cgroups(groups_); }
  std::string no_cpu_limits() const override {
    return groups_.cpu.empty() ? "CPU control groups cannot be made here" : "";
  }

 private:
  LocalPlace place_;
  CgroupBases groups_ = find_cgroups("test");
};

std::unique_ptr<ContractHost> make_local_host() { return std::make_unique<LocalHost>(); }

INSTANTIATE_TEST_SUITE_P(Local, EngineContract, testing::Values(make_local_host));

}  // namespace
}  // namespace headroom::engine

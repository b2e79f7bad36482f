#include "engine/local_devices.h"

#include <gtest/gtest.h>

#include "engine/testing/local_host.h"

namespace headroom::engine {
namespace {

const std::string kFake = LocalPlace::beside("libheadroom-fake-nvml.so");

model::DeviceUse whole(int gpu) { return {.gpu = gpu, .share = base::kWholeGpu}; }
model::DeviceUse mig(int gpu, int start) {
  return {.gpu = gpu, .mig_profile = "3g.40gb", .mig_start = start};
}

TEST(LocalDevices, NvmlIsLoadedAtRunTimeAndNamesGpusByUuid) {
  const LocalDevices devices(kFake);
  ASSERT_TRUE(devices.found()) << devices.why_not();
  ASSERT_EQ(devices.gpus().size(), 2u);
  EXPECT_EQ(devices.gpus()[0].uuid, "GPU-0a");
  EXPECT_EQ(devices.gpus()[0].name, "NVIDIA A100");
  EXPECT_EQ(devices.gpus()[1].memory, std::int64_t{80} << 30);
  EXPECT_EQ(devices.visible({whole(1), whole(0)}).value(), "GPU-1b,GPU-0a");
  EXPECT_EQ(devices.visible({}).value(), "");
}

TEST(LocalDevices, MigInstancesAreFoundByTheirFirstSlice) {
  const LocalDevices devices(kFake);
  EXPECT_EQ(devices.visible({mig(1, 0)}).value(), "MIG-first");
  EXPECT_EQ(devices.visible({mig(1, 4)}).value(), "MIG-second");
  const auto missing = devices.visible({mig(1, 2)});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "GPU 1 has no MIG instance 3g.40gb at slice 2");
  EXPECT_FALSE(devices.visible({mig(0, 0)})) << "not cut";
}

TEST(LocalDevices, AGpuThatIsNotThereIsAnError) {
  const auto missing = LocalDevices(kFake).visible({whole(2)});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "GPU 2 is not there: this machine shows 2");
}

TEST(LocalDevices, WithoutNvmlTheyAreDeclared) {
  for (const char* library : {"", "libno-such-nvml.so", "libc.so.6"}) {
    const LocalDevices devices(library);
    EXPECT_FALSE(devices.found());
    EXPECT_NE(devices.why_not(), "");
    EXPECT_EQ(devices.visible({whole(7), whole(3)}).value(), "7,3");
    EXPECT_EQ(devices.visible({mig(1, 4)}).value(), "MIG-1/4");
  }
}

}  // namespace
}  // namespace headroom::engine

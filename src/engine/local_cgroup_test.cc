// Which groups are found, and what is written to them, on a made-up /proc and /sys: control files
// are plain files there. That the kernel obeys is shown by the contract tests, where it lets us.
#include "engine/local_cgroup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/posix.h"
#include "engine/testing/local_host.h"

namespace headroom::engine {
namespace {

class LocalCgroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = root_ + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  std::string read(const std::string& path) const { return read_file(path).value_or("missing"); }
  // The kernel makes these in each new group.
  void control_files(const std::string& group, std::initializer_list<const char*> names) const {
    for (const char* name : names) write(group + "/" + name, "");
  }
  void version_2(const std::string& controllers) const {
    write("/proc/self/cgroup", "0::/hr.service\n");
    write("/proc/self/mountinfo",
          "29 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
    const std::string own = "/sys/fs/cgroup/hr.service";
    write(own + "/cgroup.controllers", controllers);
    control_files(own, {"cgroup.subtree_control"});
    control_files(own + "/headroom-1a", {"cgroup.procs", "cgroup.subtree_control"});
  }

  LocalPlace place_;
  std::string root_ = place_.scratch();
};

TEST_F(LocalCgroup, Version2WithItsControllers) {
  version_2("cpuset cpu io memory pids\n");
  const CgroupBases bases = find_cgroups("1a", root_);
  const std::string base = root_ + "/sys/fs/cgroup/hr.service/headroom-1a";
  EXPECT_EQ(bases.all, base);
  EXPECT_EQ(bases.cpu, base);
  EXPECT_EQ(bases.memory, base);
  EXPECT_EQ(read(root_ + "/sys/fs/cgroup/hr.service/cgroup.subtree_control"), "+cpu +memory");
  EXPECT_EQ(read(base + "/cgroup.subtree_control"), "+cpu +memory");
}

TEST_F(LocalCgroup, TheGroupThatAnEarlierServerMovedItselfToIsLeftOut) {
  version_2("cpu memory\n");
  write("/proc/self/cgroup", "0::/hr.service/headroom-server\n");
  EXPECT_EQ(find_cgroups("1a", root_).all, root_ + "/sys/fs/cgroup/hr.service/headroom-1a");
}

TEST_F(LocalCgroup, Version1BesideVersion2WithoutControllers) {
  version_2("\n");
  write("/proc/self/cgroup", "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/hr.service\n");
  write("/proc/self/mountinfo",
        "30 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "31 22 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  control_files("/sys/fs/cgroup/memory/a/b/headroom-1a", {"cgroup.procs"});
  control_files("/sys/fs/cgroup/cpu/headroom-1a", {"cgroup.procs"});
  const CgroupBases bases = find_cgroups("1a", root_);
  EXPECT_EQ(bases.all, root_ + "/sys/fs/cgroup/hr.service/headroom-1a");
  EXPECT_EQ(bases.cpu, root_ + "/sys/fs/cgroup/cpu/headroom-1a");
  EXPECT_EQ(bases.memory, root_ + "/sys/fs/cgroup/memory/a/b/headroom-1a");
}

TEST_F(LocalCgroup, WithoutAnyThereAreNone) {
  const CgroupBases bases = find_cgroups("1a", root_);
  EXPECT_EQ(bases.all + bases.cpu + bases.memory, "");
  const LocalPlan plan;
  EXPECT_TRUE(AllocationGroups(plan).make());
  EXPECT_FALSE(AllocationGroups(plan).kill());
  EXPECT_TRUE(AllocationGroups(plan).processes().empty());
}

TEST_F(LocalCgroup, LimitsOfVersion2) {
  LocalPlan plan;
  plan.group_all = plan.group_cpu = plan.group_memory = root_ + "/g";
  plan.tasks = {{.rank = 0}, {.rank = 1, .cpu_milli = 2500, .memory = 1 << 30}};
  control_files("/g", {"cgroup.procs", "cgroup.subtree_control"});
  control_files("/g/rank-1", {"cgroup.procs", "cpu.max", "memory.max", "memory.oom.group"});
  const AllocationGroups groups(plan);
  const auto made = groups.make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(read(root_ + "/g/cgroup.subtree_control"), "+cpu +memory");
  EXPECT_EQ(read(root_ + "/g/rank-1/cpu.max"), "250000 100000");
  EXPECT_EQ(read(root_ + "/g/rank-1/memory.max"), "1073741824");
  write("/g/rank-1/memory.events", "low 0\nmax 7\noom 2\noom_kill 2\n");
  EXPECT_EQ(groups.out_of_memory(plan.tasks[1]), 2);
  write("/g/rank-1/cgroup.procs", "12\n11\n");
  EXPECT_EQ(groups.processes(), (std::vector<pid_t>{11, 12}));
}

TEST_F(LocalCgroup, LimitsOfVersion1) {
  LocalPlan plan;
  plan.group_cpu = root_ + "/c";
  plan.group_memory = root_ + "/m";
  plan.tasks = {{.rank = 3, .cpu_milli = 5, .memory = 4096}};
  control_files("/c", {"cgroup.procs"});
  control_files("/m", {"cgroup.procs"});
  control_files("/c/rank-3", {"cgroup.procs", "cpu.cfs_period_us", "cpu.cfs_quota_us"});
  control_files("/m/rank-3", {"cgroup.procs", "memory.limit_in_bytes"});
  const auto made = AllocationGroups(plan).make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(read(root_ + "/c/rank-3/cpu.cfs_period_us"), "100000");
  EXPECT_EQ(read(root_ + "/c/rank-3/cpu.cfs_quota_us"), "1000") << "the smallest there is";
  EXPECT_EQ(read(root_ + "/m/rank-3/memory.limit_in_bytes"), "4096");
}

TEST_F(LocalCgroup, ALimitThatCannotBeSetIsAnError) {
  LocalPlan plan;
  plan.group_memory = root_ + "/m";
  plan.tasks = {{.memory = 4096}};
  control_files("/m", {"cgroup.procs"});
  control_files("/m/rank-0", {"cgroup.procs"});
  const auto made = AllocationGroups(plan).make();
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("memory.limit_in_bytes"), std::string::npos);
}

}  // namespace
}  // namespace headroom::engine

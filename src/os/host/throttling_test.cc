#include "os/host/throttling.h"

#include "os/file/files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// Files like those below /sys/fs/cgroup.
class Throttled : public ::testing::Test {
 protected:
  Throttled() {
    std::string name = (std::filesystem::temp_directory_path() / "throttling-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~Throttled() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  [[nodiscard]] Throttling read_throttling(std::string_view proc_pid_cgroup) const {
    return ThrottlingReader(root_).read(proc_pid_cgroup);
  }

  Path root_;
};

TEST_F(Throttled, OfAUnifiedHierarchyAllGroupsAroundItCount) {
  write("cgroup.controllers", "cpu memory\n");
  write("pod/cpu.max", "150000 100000\n");
  write("pod/cpu.stat", "usage_usec 7\nnr_periods 900\nnr_throttled 30\nthrottled_usec 9\n");
  write("pod/task/cpu.max", "20000 100000\n");
  write("pod/task/cpu.stat", "usage_usec 7\nnr_periods 800\nnr_throttled 700\n");
  write("pod/task/inner/cpu.max", "max 100000\n");
  write("pod/task/inner/cpu.stat", "usage_usec 7\nnr_periods 0\nnr_throttled 0\n");
  write("pod/task/inner/cgroup.events", "populated 1\nfrozen 0\n");
  write("pod/task/inner/memory.pressure",
        "some avg10=12.00 avg60=0.00 avg300=0.00 total=2500000\n"
        "full avg10=12.00 avg60=0.00 avg300=0.00 total=1000000\n");
  write("pod/task/inner/memory.events", "low 0\nhigh 4711\nmax 3\noom 0\noom_kill 0\n");
  const Throttling seen = read_throttling("0::/pod/task/inner\n");
  EXPECT_EQ(seen.cpu, (Throttling::Cpu{.periods = 900, .throttled = 730}));
  EXPECT_EQ(seen.memory, 2500ms);
  EXPECT_EQ(seen.over_memory_high, 4711U);
}

TEST_F(Throttled, InAContainerTheOutermostGroupCounts) {
  write("cgroup.controllers", "cpu memory\n");
  write("cpu.max", "50000 100000\n");
  write("cpu.stat", "nr_periods 70\nnr_throttled 60\n");
  EXPECT_EQ(read_throttling("0::/../host/path\n").cpu,
            (Throttling::Cpu{.periods = 70, .throttled = 60}));
}

TEST_F(Throttled, OfVersionOneThereIsNoMemoryPressure) {
  write("cpu/slow/cpu.cfs_quota_us", "10000\n");
  write("cpu/slow/cpu.stat", "nr_periods 50\nnr_throttled 49\nthrottled_time 4000000000\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("unified/cgroup.controllers", "\n");
  const Throttling seen = read_throttling("3:cpu:/slow\n0::/\n");
  EXPECT_EQ(seen.cpu, (Throttling::Cpu{.periods = 50, .throttled = 49}));
  EXPECT_EQ(seen.memory, std::nullopt);
  EXPECT_EQ(seen.over_memory_high, 0U);
}

TEST_F(Throttled, OfAWholeHostNoPressureIsItsOwn) {
  write("cgroup.controllers", "cpu memory\n");
  write("cpu.stat", "usage_usec 7\n");
  write("memory.pressure", "some avg10=12.00 avg60=0.00 avg300=0.00 total=2500000\n");
  const Throttling seen = read_throttling("0::/\n");
  EXPECT_EQ(seen.memory, std::nullopt);
  EXPECT_EQ(seen.cpu, Throttling::Cpu{}) << "nobody limits a host";
}

TEST_F(Throttled, WithoutALimitNothingIsHeldBack) {
  write("cpu/free/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(read_throttling("3:cpu:/free\n").cpu, Throttling::Cpu{});
}

TEST_F(Throttled, CountersAreReadEachTimeAndLimitsNowAndThen) {
  write("cgroup.controllers", "cpu memory\n");
  write("a/cpu.max", "50000 100000\n");
  write("a/cpu.stat", "nr_periods 70\nnr_throttled 60\n");
  write("b/cpu.max", "max 100000\n");
  write("b/cpu.stat", "nr_periods 9\nnr_throttled 8\n");
  ThrottlingReader reader(root_);
  EXPECT_EQ(reader.read("0::/a\n").cpu, (Throttling::Cpu{.periods = 70, .throttled = 60}));
  write("a/cpu.stat", "nr_periods 80\nnr_throttled 61\n");
  EXPECT_EQ(reader.read("0::/a\n").cpu, (Throttling::Cpu{.periods = 80, .throttled = 61}));
  EXPECT_EQ(reader.read("0::/b\n").cpu, Throttling::Cpu{}) << "it was moved";
  write("b/cpu.max", "20000 100000\n");
  for (uint32_t looks = 1; looks < kThrottlingLooks; ++looks) {
    EXPECT_EQ(reader.read("0::/b\n").cpu, Throttling::Cpu{}) << looks;
  }
  EXPECT_EQ(reader.read("0::/b\n").cpu, (Throttling::Cpu{.periods = 9, .throttled = 8}));
}

TEST_F(Throttled, WhatCannotBeSeenIsUnknown) {
  EXPECT_EQ(read_throttling(""), Throttling{});
  write("cgroup.controllers", "\n");
  write("memory.pressure", "some avg10=nothing total=-1\n");
  EXPECT_EQ(read_throttling("0::/\n"), Throttling{});
}

}  // namespace
}  // namespace muster::os

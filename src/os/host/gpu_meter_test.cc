#include "os/host/gpu_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdlib.h>
#include <string>
#include <vector>

namespace muster::os {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr uint64_t kMebibyte = 1ULL << 20;

TEST(GpuReading, ReadsWhatNvidiaSmiPrints) {
  EXPECT_EQ(parse_gpu_reading("3, GPU-8932f937, 87, 39001, 40960, 251.42, 61, 2"),
            (GpuReading{.maker = GpuMaker::Nvidia,
                        .index = 3,
                        .uuid = "GPU-8932f937",
                        .utilization = 0.87,
                        .memory_used_bytes = 39001 * kMebibyte,
                        .memory_bytes = 40960 * kMebibyte,
                        .power_w = 251.42,
                        .temperature_c = 61,
                        .errors = 2}));
}

TEST(GpuReading, LeavesOutWhatADriverDoesNotTell) {
  const auto reading = parse_gpu_reading(
      "0, GPU-aa, [N/A], [Not Supported], [Unknown Error], ERR!, [GPU is lost], [N/A]");
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(*reading, (GpuReading{.uuid = "GPU-aa"}));
}

TEST(GpuReading, RefusesOtherTextAndNumbersBeyondReason) {
  for (const char* const line :
       {"", "index, uuid", "NVIDIA-SMI has failed because it couldn't communicate with the driver.",
        "No devices were found", "0, GPU-aa, 5, 1, 2, 3, 4", "0, GPU-aa, 5, 1, 2, 3, 4, 5, 6",
        "-1, GPU-aa, 5, 1, 2, 3, 4, 5", "99999999999999999999, GPU-aa, 5, 1, 2, 3, 4, 5",
        "GPU-aa, 0, 5, 1, 2, 3, 4, 5"}) {
    EXPECT_FALSE(parse_gpu_reading(line).has_value()) << line;
  }
  const auto odd = parse_gpu_reading("0, \x1b[2J, 101, -5, 1e300, nan, inf, -1");
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(*odd, GpuReading{});
}

TEST(BoundedLines, JoinsPiecesAndDropsWhatIsTooLong) {
  BoundedLines lines(8);
  std::vector<std::string> taken;
  for (const std::string& piece :
       {std::string("ab"), std::string("cd\nef"), std::string(), std::string("\n\n"),
        std::string(100'000, 'x'), std::string("yy\nnext\nnin"), std::string("e bytes\n12345678\n"),
        std::string("torn")}) {
    lines.take(piece, [&](std::string_view line) { taken.emplace_back(line); });
  }
  EXPECT_THAT(taken, ElementsAre("abcd", "ef", "", "next", "12345678"));
}

class Scratch : public ::testing::Test {
 protected:
  ~Scratch() override { fs::remove_all(root_); }
  static fs::path make_root() {
    std::string name = "/tmp/gpu-test-XXXXXX";
    return ::mkdtemp(name.data());
  }
  void write(const fs::path& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_ = make_root();
};

class AmdGpus : public Scratch {
 protected:
  void card(const std::string& name, const std::string& vendor, const std::string& busy) {
    const fs::path device = fs::path(name) / "device";
    write(device / "vendor", vendor + "\n");
    write(device / "gpu_busy_percent", busy + "\n");
    write(device / "mem_info_vram_used", "1073741824\n");
    write(device / "mem_info_vram_total", "17163091968\n");
  }
};

TEST_F(AmdGpus, AreReadInTheOrderOfTheirCards) {
  card("card10", "0x1002", "7");
  card("card2", "0x1002", "93");
  card("card0", "0x10de", "55");  // From another manufacturer.
  card("card3-DP-1", "0x1002", "1");
  write("card1/device/vendor", "0x1002\n");  // Reports nothing.
  write("card2/device/hwmon/hwmon4/power1_average", "186000000\n");
  write("card2/device/hwmon/hwmon4/temp1_input", "64500\n");
  const std::vector<GpuReading> readings = read_amd_gpus(root_);
  ASSERT_THAT(readings, SizeIs(2));
  EXPECT_EQ(readings[0], (GpuReading{.maker = GpuMaker::Amd,
                                     .index = 0,
                                     .uuid = "",
                                     .utilization = 0.93,
                                     .memory_used_bytes = 1073741824,
                                     .memory_bytes = 17163091968,
                                     .power_w = 186,
                                     .temperature_c = 64.5,
                                     .errors = {}}));
  EXPECT_EQ(readings[1].index, 1U);
  EXPECT_EQ(readings[1].utilization, 0.07);
  EXPECT_EQ(readings[1].power_w, std::nullopt);
}

TEST_F(AmdGpus, SurviveFilesThatHoldSomethingElse) {
  card("card0", "0x1002", "busy");
  write("card0/device/hwmon/hwmon0/power1_average", "-1\n");
  const std::vector<GpuReading> readings = read_amd_gpus(root_);
  ASSERT_THAT(readings, SizeIs(1));
  EXPECT_EQ(readings[0].utilization, std::nullopt);
  EXPECT_EQ(readings[0].power_w, std::nullopt);
  EXPECT_THAT(read_amd_gpus(root_ / "none"), IsEmpty());
}

/// A program of that name, which records each start and prints what a test wants.
class RunningGpuMeter : public Scratch {
 protected:
  void program(std::string_view script) {
    write("bin/nvidia-smi", "#!/bin/sh\necho $$ >> " + (root_ / "starts").string() + "\n" +
                                std::string(script) + "\n");
    fs::permissions(root_ / "bin/nvidia-smi", fs::perms::owner_all);
    make("bin");
  }
  void make(const fs::path& path) {
    meter_ = make_gpu_meter(loop_, *processes_, sink_,
                            {.environment = {{"PATH", (root_ / path).string() + ":/usr/bin:/bin"}},
                             .drm = root_ / "drm",
                             .rest_first = 1ms});
  }
  bool run_until(const std::function<bool()>& reached) {
    const HostTime until = loop_.now() + 60s;
    while (!reached() && loop_.now() < until) {
      loop_.run_until(loop_.now() + 5ms);
    }
    return reached();
  }
  std::vector<int> starts() {
    std::ifstream file(root_ / "starts");
    std::vector<int> pids;
    for (int pid = 0; file >> pid;) {
      pids.push_back(pid);
    }
    return pids;
  }

  rt::IoLoop loop_;
  log::NullSink sink_;
  std::unique_ptr<Processes> processes_ = make_processes(loop_);
  std::unique_ptr<GpuMeter> meter_;
};

TEST_F(RunningGpuMeter, TakesTheLastLineOfEachGpuAmongForeignOnes) {
  program(
      "echo Unable to determine; printf '1, GPU-bb, 5, 1, 2, 3, 4, 5\\n0, GPU-aa, 10, 1'; "
      "head -c 300000 /dev/zero | tr '\\0' x >&2; printf ', 2, 3, 4, 5\\n'; "
      "head -c 300000 /dev/zero | tr '\\0' x; printf '\\n1, GPU-bb, 50, 1, 2, 3, 4, 5\\n'; "
      "exec sleep 1000");
  EXPECT_THAT(meter_->latest(), IsEmpty());
  meter_->watch(true);
  meter_->watch(true);
  ASSERT_TRUE(run_until([&] {
    const auto latest = meter_->latest();
    return latest.size() == 2 && latest[1].utilization == 0.5;
  }));
  EXPECT_EQ(meter_->latest()[0].utilization, 0.1);
  EXPECT_THAT(starts(), SizeIs(1));
}

TEST_F(RunningGpuMeter, StartsItAgainWhenItDies) {
  program("echo 0, GPU-aa, 10, 1, 2, 3, 4, 5; exit 1");
  meter_->watch(true);
  EXPECT_TRUE(run_until([&] { return starts().size() >= 3; }));
  EXPECT_THAT(meter_->latest(), SizeIs(1));
}

TEST_F(RunningGpuMeter, EndsItWhenNobodyWatches) {
  program("echo 0, GPU-aa, 10, 1, 2, 3, 4, 5; exec sleep 1000");
  meter_->watch(true);
  ASSERT_TRUE(run_until([&] { return !meter_->latest().empty(); }));
  meter_->watch(false);
  EXPECT_THAT(meter_->latest(), IsEmpty());
  const int first = starts().at(0);
  EXPECT_TRUE(run_until([&] { return ::kill(first, 0) != 0; })) << "it lives on";
  meter_->watch(true);
  ASSERT_TRUE(run_until([&] { return !meter_->latest().empty(); }));
  const int second = starts().at(1);
  meter_.reset();
  EXPECT_TRUE(run_until([&] { return ::kill(second, 0) != 0; })) << "it outlives its meter";
}

TEST_F(RunningGpuMeter, ReadsAmdsFilesWhereNvidiaSmiKnowsNone) {
  write("drm/card0/device/vendor", "0x1002\n");
  write("drm/card0/device/gpu_busy_percent", "42\n");
  program("echo No devices were found; exit 6");
  meter_->watch(true);
  ASSERT_TRUE(run_until([&] { return !meter_->latest().empty(); }));
  EXPECT_EQ(meter_->latest()[0].maker, GpuMaker::Amd);
  EXPECT_EQ(meter_->latest()[0].utilization, 0.42);
  meter_->watch(false);
  EXPECT_THAT(meter_->latest(), IsEmpty());
}

}  // namespace
}  // namespace muster::os

#include "agent/attempt/memory_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMib = 1ULL << 20;
constexpr uint64_t kGib = 1ULL << 30;

/// Processes whose bounds and true size the test sets, and a clock that only close looks move: by
/// 3.5 ms for each GiB, as on real hardware.
class FakeMeter final : public os::Meter {
 public:
  os::Usage measure(std::span<const os::Pid>) override {
    ++close_looks;
    spent_ += std::chrono::microseconds(3500 * print.most_bytes / kGib);
    return {.memory_bytes = truth, .exact = true, .cpu = 7s};
  }
  os::Footprint glance(std::span<const os::Pid>) override { return print; }
  os::FileActivity file_activity(std::span<const os::Pid>) override { return {}; }
  os::Throttling throttling(os::Pid) override { return {}; }
  std::optional<Duration> collector_time(std::span<const os::Pid>) override { return {}; }
  os::Waits waits(std::span<const os::Pid>, os::Pid) override { return {}; }
  os::HostActivity host_activity() override { return {}; }
  std::vector<os::Path> local_folders(std::vector<os::Path>) override { return {}; }
  std::optional<os::DiskSpace> disk_left(std::span<const os::Path>) override { return {}; }
  Duration time_spent() override { return spent_; }
  uint64_t oom_kills() override { return 0; }

  os::Footprint print;
  uint64_t truth = 0;
  int close_looks = 0;

 private:
  Duration spent_{};
};

class FakeGroup final : public os::Cgroup {
 public:
  explicit FakeGroup(uint64_t bytes) : bytes_(bytes) {}
  Status add(os::Pid) override { return {}; }
  [[nodiscard]] uint64_t oom_kills() const override { return 0; }
  [[nodiscard]] std::optional<uint64_t> memory_bytes() const override { return bytes_; }
  [[nodiscard]] std::optional<uint64_t> memory_peak_bytes() const override { return bytes_; }

 private:
  uint64_t bytes_;
};

class MemoryReaderTest : public ::testing::Test {
 protected:
  MemoryReader::Reading read(MemoryReader& reader, Duration since, size_t processes = 1,
                             const os::Cgroup* group = nullptr) {
    const std::array<os::Pid, 3> all{os::Pid(2), os::Pid(3), os::Pid(4)};
    return reader.read({all.data(), processes}, {.cgroup = group}, kBegin + since);
  }

  static constexpr HostTime kBegin{std::chrono::hours(1)};
  FakeMeter meter_;
  WatchBudget budget_{{.share_per_mille = 2, .saved_max = 20ms}, kBegin};
};

TEST_F(MemoryReaderTest, NeverLooksCloselyAtOneProcessFarFromItsLimit) {
  meter_.print = {.least_bytes = 8 * kGib, .most_bytes = 8 * kGib + 200 * kMib, .cpu = 3s};
  MemoryReader reader(meter_, budget_, 12 * kGib);
  for (Duration since = 0s; since < 1h; since += 200ms) {
    const MemoryReader::Reading reading = read(reader, since);
    EXPECT_EQ(reading.bytes, 8 * kGib + 200 * kMib);
    EXPECT_EQ(reading.print.cpu, 3s);
    EXPECT_FALSE(reading.over);
  }
  EXPECT_EQ(meter_.close_looks, 0);
}

TEST_F(MemoryReaderTest, KnowsWithoutACloseLookWhatOneProcessHasForItself) {
  meter_.print = {.least_bytes = 2 * kGib + 1, .most_bytes = 3 * kGib};
  MemoryReader reader(meter_, budget_, 2 * kGib);
  EXPECT_TRUE(read(reader, 0s).over);
  EXPECT_EQ(meter_.close_looks, 0);
}

TEST_F(MemoryReaderTest, LooksCloselyNearTheLimitAndFindsSharedMemoryOnce) {
  meter_.print = {.least_bytes = kGib, .most_bytes = 3 * kGib};
  meter_.truth = 1200 * kMib;
  MemoryReader reader(meter_, budget_, 2 * kGib);
  EXPECT_EQ(read(reader, 0s, 3).bytes, 1200 * kMib);
  meter_.truth = 2 * kGib + 1;
  EXPECT_TRUE(read(reader, 10s, 3).over);
  EXPECT_EQ(meter_.close_looks, 2);
}

TEST_F(MemoryReaderTest, KeepsWithinItsBudgetHoweverLargeTheProgramIs) {
  meter_.print = {.least_bytes = 20 * kGib, .most_bytes = 100 * kGib};
  meter_.truth = 50 * kGib;
  MemoryReader reader(meter_, budget_, 80 * kGib);
  for (Duration since = 0s; since < 1h; since += 200ms) {
    const MemoryReader::Reading reading = read(reader, since, 3);
    EXPECT_EQ(reading.bytes, 50 * kGib) << "between two looks, as the last one found it";
    EXPECT_FALSE(reading.over);
  }
  EXPECT_GT(meter_.close_looks, 10);
  EXPECT_LT(meter_.time_spent(), Duration(1h) * 2 / 1000 + 400ms);
}

TEST_F(MemoryReaderTest, TellsWhatSmallProcessesShare) {
  meter_.print = {.least_bytes = 100 * kMib, .most_bytes = 300 * kMib};
  meter_.truth = 150 * kMib;
  MemoryReader reader(meter_, budget_, 0);
  EXPECT_EQ(read(reader, 0s, 3).bytes, 150 * kMib);
  meter_.print.most_bytes = 40 * kGib;
  EXPECT_EQ(read(reader, 1s, 3).bytes, 20 * kGib) << "the same share of it";
  EXPECT_EQ(meter_.close_looks, 1);
}

TEST_F(MemoryReaderTest, BelievesTheControlGroup) {
  meter_.print = {.least_bytes = kGib, .most_bytes = 9 * kGib};
  MemoryReader reader(meter_, budget_, 4 * kGib);
  const FakeGroup below(3 * kGib);
  EXPECT_EQ(read(reader, 0s, 3, &below).bytes, 3 * kGib);
  EXPECT_FALSE(read(reader, 0s, 3, &below).over);
  const FakeGroup above(5 * kGib);
  EXPECT_TRUE(read(reader, 0s, 3, &above).over);
  const FakeGroup joined_late(10 * kMib);
  EXPECT_EQ(read(reader, 0s, 3, &joined_late).bytes, kGib);
  EXPECT_EQ(meter_.close_looks, 0);
}

TEST_F(MemoryReaderTest, LooksCloselyWhereTheControlGroupHasNotCountedAll) {
  meter_.print = {.least_bytes = kGib, .most_bytes = 9 * kGib};
  meter_.truth = 5 * kGib;
  MemoryReader reader(meter_, budget_, 4 * kGib);
  const FakeGroup joined_late(2 * kGib);
  const std::array<os::Pid, 2> both{os::Pid(2), os::Pid(3)};
  EXPECT_TRUE(reader.read(both, {.cgroup = &joined_late, .whole = false}, kBegin).over);
  EXPECT_EQ(meter_.close_looks, 1);
  meter_.truth = 3 * kGib;
  EXPECT_FALSE(reader.read(both, {.cgroup = &joined_late, .whole = false}, kBegin + 1h).over);
}

}  // namespace
}  // namespace muster::agent

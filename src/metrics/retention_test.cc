#include "metrics/retention.h"

#include "metrics/block.h"
#include "metrics/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace muster::metrics {
namespace {

using Kind = SampleFileName::Kind;

TEST(SampleFileName, IsReadAsItIsWritten) {
  const SampleFileName name{.kind = Kind::Minutes, .epoch = 3, .sequence = 12};
  EXPECT_EQ(to_string(name), "minutes-000003-000012.samples");
  EXPECT_EQ(parse_sample_file("minutes-000003-000012.samples"), name);
  for (const char* text : {"", "minutes-3-12.samples", "minutes-000000-000001.samples",
                           "hours-000001-000001.samples", "minutes-000001-000001.samples.tmp",
                           "seconds-000001.samples", "seconds-99999999999-000001.samples"}) {
    EXPECT_FALSE(parse_sample_file(text).has_value()) << text;
  }
}

TEST(SampleFiles, GoOnWithTheNextFileAfterSomeBytesOrAnError) {
  SampleFiles files(2);
  const SampleFileName first = *files.file_for(1);
  EXPECT_EQ(to_string(first), "seconds-000002-000001.samples");
  files.appended(first, SampleFiles::kFileBytes - 1);
  EXPECT_EQ(files.file_for(1), first);
  files.appended(first, 1);
  const SampleFileName second = *files.file_for(1);
  EXPECT_EQ(second.sequence, 2U);
  files.broken(second);
  EXPECT_EQ(files.file_for(1)->sequence, 3U);
  EXPECT_EQ(files.file_for(60)->sequence, 1U);
  EXPECT_EQ(files.file_for(10), std::nullopt);
}

TEST(SampleFiles, OldestSecondsGoFirstAndMinutesStay) {
  SampleFiles files(2);
  for (uint32_t i = 1; i <= 5; ++i) {
    files.found({.kind = Kind::Seconds, .epoch = 1, .sequence = i}, 7U << 20);
    files.found({.kind = Kind::Minutes, .epoch = 1, .sequence = i}, 7U << 20);
  }
  EXPECT_EQ(files.take_surplus(), (SampleFileName{Kind::Seconds, 1, 1}));
  EXPECT_EQ(files.take_surplus(), std::nullopt);
  files.appended(*files.file_for(1), 1);
  EXPECT_EQ(files.take_surplus(), (SampleFileName{Kind::Seconds, 1, 2}));
}

/// What a busy training task with a GPU looks like, second after second, with noise in everything
/// that is noisy: the worst case for a codec.
class BusyTask {
 public:
  explicit BusyTask(uint32_t index) : engine_(index), io_(1e9 + index * 7e6) {}

  template <class Add>
  void second(const Add& add) {
    const double cpu = std::round((3.6 + 0.2 * noise()) * 1e3) / 1e3;
    user_ += cpu * 0.9;
    system_ += cpu * 0.1;
    faults_ += std::round(900 + 300 * noise());
    io_ += std::round(std::fabs(4e6 + 2e6 * noise()));
    add(Builtin::ContainerCpuUsage, cpu);
    add(Builtin::ContainerCpuTimeUser, std::round(user_ * 100) / 100);
    add(Builtin::ContainerCpuTimeSystem, std::round(system_ * 100) / 100);
    add(Builtin::ContainerMemoryUsage, 4096 * std::round(1.5e6 + 2000 * noise()));
    add(Builtin::ContainerMemoryPeak, 4096 * 1.52e6);
    add(Builtin::ContainerMemoryLimit, 8589934592.0);
    add(Builtin::ContainerPageFaults, faults_);
    add(Builtin::ContainerPageFaultsMajor, 12);
    add(Builtin::ContainerDiskRead, io_);
    add(Builtin::ContainerDiskWrite, 4096 * std::round(io_ / 40960));
    add(Builtin::ProcessThreads, 41);
    add(Builtin::ProcessOpenFiles, 63);
    add(Builtin::GpuUtilization, std::round((0.93 + 0.03 * noise()) * 100) / 100);
    add(Builtin::GpuMemoryUsage, 7.1e10);
    add(Builtin::GpuMemoryLimit, 8.5e10);
    add(Builtin::GpuPower, std::round((610 + 30 * noise()) * 100) / 100);
    add(Builtin::GpuTemperature, std::round(64 + noise()));
    add(Builtin::GpuErrors, 0);
  }

 private:
  double noise() { return normal_(engine_); }

  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  double user_ = 0;
  double system_ = 0;
  double faults_ = 0;
  double io_;
};

TEST(SampleFiles, ADayOfAThousandTasksFits) {
  // A tenth of the tasks for one window of each kind: with more tasks, the columns only get denser.
  constexpr uint32_t kTasks = 100;
  constexpr int64_t kBegin = 1'700'000'400;
  Recorder recorder;
  std::vector<BusyTask> tasks;
  for (uint32_t i = 0; i < kTasks; ++i) {
    tasks.emplace_back(i);
  }
  uint64_t seconds_bytes = 0;
  uint64_t minutes_bytes = 0;
  for (int64_t now = kBegin; now < kBegin + 600; ++now) {
    for (uint32_t i = 0; i < kTasks; ++i) {
      tasks[i].second([&](Builtin metric, double value) {
        (void)recorder.add({.role = "worker", .index = i, .attempt = 1}, metric, now, value, now);
      });
    }
    for (const Block& block : recorder.take_closed(now, now == kBegin + 599)) {
      seconds_bytes += block.step_s == 1 ? encode(block).size() : 0;
      minutes_bytes += block.step_s == 60 ? encode(block).size() : 0;
    }
  }
  const double of_a_day = 10.0 * 144 * static_cast<double>(minutes_bytes);
  RecordProperty("minutes_bytes_a_day_of_1000_tasks", std::to_string(of_a_day));
  EXPECT_LT(of_a_day, static_cast<double>(SampleFiles::kMinutesBytesMax));
  // All files together never take more than this.
  EXPECT_LT(
      SampleFiles::kSecondsBytesMax + SampleFiles::kMinutesBytesMax + 2 * SampleFiles::kFileBytes,
      100'000'000U);
  // How long the seconds of this many tasks are kept, in seconds: at least the last minutes.
  const double kept_s = static_cast<double>(SampleFiles::kSecondsBytesMax) /
                        (10.0 * static_cast<double>(seconds_bytes) / 600);
  RecordProperty("seconds_kept_of_1000_tasks", std::to_string(kept_s));
  EXPECT_GT(kept_s, 900);
}

}  // namespace
}  // namespace muster::metrics

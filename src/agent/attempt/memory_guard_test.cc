#include "agent/attempt/memory_guard.h"

#include "testing/fake_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMib = 1ULL << 20;
constexpr uint64_t kLimit = 100 * kMib;

/// Processes whose size the test sets.
class SizedMeter final : public os::Meter {
 public:
  os::Usage measure(std::span<const os::Pid>) override {
    return {.memory_bytes = bytes, .exact = true, .cpu = {}};
  }
  os::Footprint glance(std::span<const os::Pid>) override {
    return {.least_bytes = bytes, .most_bytes = bytes, .cpu = {}};
  }
  os::FileActivity file_activity(std::span<const os::Pid>) override { return {}; }
  os::Throttling throttling(os::Pid) override { return {}; }
  std::optional<Duration> collector_time(std::span<const os::Pid>) override { return {}; }
  os::Waits waits(std::span<const os::Pid>, os::Pid) override { return {}; }
  os::HostActivity host_activity() override { return {}; }
  std::vector<os::Path> local_folders(std::vector<os::Path>) override { return {}; }
  std::optional<os::DiskSpace> disk_left(std::span<const os::Path>) override { return {}; }
  Duration time_spent() override { return {}; }
  uint64_t oom_kills() override { return kills; }

  uint64_t bytes = 0;
  uint64_t kills = 0;
};

/// What a control group was told, and what it reports; outlives the group.
struct Group {
  std::vector<int> members;
  uint64_t limit = 0;
  uint64_t kills = 0;
  std::optional<uint64_t> peak;
  bool refuses = false;
};

class FakeGroup final : public os::Cgroup {
 public:
  explicit FakeGroup(Group& group) : group_(group) {}
  Status add(os::Pid process) override {
    group_.members.push_back(process.value);
    return {};
  }
  [[nodiscard]] uint64_t oom_kills() const override { return group_.kills; }
  [[nodiscard]] std::optional<uint64_t> memory_bytes() const override { return std::nullopt; }
  [[nodiscard]] std::optional<uint64_t> memory_peak_bytes() const override { return group_.peak; }

 private:
  Group& group_;
};

class FakeGroups final : public os::Cgroups {
 public:
  explicit FakeGroups(Group& group) : group_(group) {}
  Result<std::unique_ptr<os::Cgroup>> create(const std::string&,
                                             const os::CgroupLimits& limits) override {
    if (group_.refuses) {
      return cluster_error("none is delegated");
    }
    group_.limit = limits.memory_bytes;
    return std::make_unique<FakeGroup>(group_);
  }

 private:
  Group& group_;
};

class MemoryGuardTest : public ::testing::Test {
 protected:
  std::unique_ptr<MemoryGuard> guard(bool grouped, uint64_t limit = kLimit) {
    std::shared_ptr<os::Cgroups> groups;
    if (grouped) {
      groups = std::make_shared<FakeGroups>(group);
    }
    auto made = std::make_unique<MemoryGuard>(
        MemoryGuard::Deps{loop, meter, budget, std::move(groups)}, "worker-0.1", limit);
    made->begin(os::Pid{10});
    loop.run_ready();
    EXPECT_TRUE(made->settled().is_set());
    return made;
  }

  testing::FakeLoop loop;
  SizedMeter meter;
  WatchBudget budget{{.share_per_mille = 2}, loop.now()};
  Group group;
};

TEST_F(MemoryGuardTest, SaysWhatWasOverTheLimitAndGoesOnSayingIt) {
  const auto own = guard(false);
  meter.bytes = kLimit;
  (void)own->read({os::Pid{10}});
  EXPECT_FALSE(own->over());
  EXPECT_EQ(own->evidence({.code = 1}).text, "");
  meter.bytes = kLimit + 20 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_TRUE(own->over());
  meter.bytes = kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_EQ(own->peak_bytes(), kLimit + 20 * kMib);
  EXPECT_EQ(own->evidence({.code = 0}).text,
            "its processes used 120 MiB of memory; the limit is 100 MiB");
  EXPECT_FALSE(own->evidence({.code = 0}).of_machine);
}

TEST_F(MemoryGuardTest, IsNearTheLimitFromThreeFifthsOn) {
  const auto own = guard(false);
  meter.bytes = 60 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_FALSE(own->near_limit());
  meter.bytes = 61 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_TRUE(own->near_limit());
  const auto unlimited = guard(false, 0);
  (void)unlimited->read({os::Pid{10}});
  EXPECT_FALSE(unlimited->near_limit());
  EXPECT_FALSE(unlimited->over());
}

TEST_F(MemoryGuardTest, HasTheKernelGuardTheProcessALittleHigher) {
  const auto own = guard(true);
  EXPECT_THAT(group.members, ElementsAre(10));
  EXPECT_EQ(group.limit, kLimit + 8 * kMib);
  meter.bytes = 90 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_FALSE(own->near_limit()) << "the kernel looks";
  const auto large = guard(true, 1600 * kMib);
  EXPECT_EQ(group.limit, 1700 * kMib);
}

TEST_F(MemoryGuardTest, MakesNoGroupWithoutALimit) {
  const auto own = guard(true, 0);
  EXPECT_THAT(group.members, IsEmpty());
}

TEST_F(MemoryGuardTest, LooksItselfWhereNoGroupCanBeMade) {
  group.refuses = true;
  const auto own = guard(true);
  own->admit(os::Pid{11});
  meter.bytes = 90 * kMib;
  (void)own->read({os::Pid{10}, os::Pid{11}});
  EXPECT_TRUE(own->near_limit());
  EXPECT_THAT(group.members, IsEmpty());
}

TEST_F(MemoryGuardTest, TakesInOnceWhatWasForkedBefore) {
  const auto own = guard(true);
  meter.bytes = 90 * kMib;
  (void)own->read({os::Pid{10}, os::Pid{11}});
  loop.run_ready();
  EXPECT_THAT(group.members, ElementsAre(10, 10, 11));
  EXPECT_TRUE(own->near_limit()) << "what they had before is not counted there";
  (void)own->read({os::Pid{10}, os::Pid{11}, os::Pid{12}});
  loop.run_ready();
  EXPECT_THAT(group.members, ElementsAre(10, 10, 11));
}

TEST_F(MemoryGuardTest, AdmitsAnotherProcess) {
  const auto own = guard(true);
  (void)own->read({os::Pid{10}});
  own->admit(os::Pid{20});
  loop.run_ready();
  EXPECT_THAT(group.members, ElementsAre(10, 20));
  meter.bytes = 90 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_TRUE(own->near_limit());
}

TEST_F(MemoryGuardTest, NoticesThatTheKernelKilledAtTheLimit) {
  const auto own = guard(true);
  group.kills = 1;
  group.peak = 108 * kMib;
  EXPECT_EQ(own->evidence({.code = 0}).text, "") << "it succeeded all the same";
  EXPECT_EQ(own->evidence({.signal = SIGKILL}).text,
            "the kernel killed its processes at 108 MiB of memory; the limit is 100 MiB");
  meter.bytes = kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_TRUE(own->over());
}

TEST_F(MemoryGuardTest, TellsALackOfTheMachineFromTheLimit) {
  const auto own = guard(false);
  meter.bytes = 50 * kMib;
  (void)own->read({os::Pid{10}});
  EXPECT_EQ(own->evidence({.signal = SIGKILL}).text, "") << "somebody killed it";
  meter.kills = 1;
  EXPECT_EQ(own->evidence({.code = 1}).text, "");
  for (const os::Exit& exit : {os::Exit{.signal = SIGKILL}, os::Exit{.code = 128 + SIGKILL}}) {
    const MemoryGuard::Evidence found = own->evidence(exit);
    EXPECT_THAT(found.text, HasSubstr("the host ran out of memory"));
    EXPECT_THAT(found.text, HasSubstr("its peak was 50 MiB"));
    EXPECT_TRUE(found.of_machine);
  }
}

}  // namespace
}  // namespace muster::agent

#include "master/agents/fence.h"

#include "testing/fake_loop.h"
#include "testing/memory_segment_store.h"

#include <gtest/gtest.h>

#include <optional>

namespace muster::master {
namespace {

/// The master of epoch 2, whose log has segments up to `newest`.
struct FenceOfTwo {
  explicit FenceOfTwo(uint32_t newest) {
    for (uint32_t epoch = 1; epoch <= newest; ++epoch) {
      disk.segments[job::Epoch(epoch)];
    }
  }

  testing::FakeLoop loop;
  testing::MemoryDisk disk;
  testing::MemorySegmentStore segments{loop, disk};
  std::optional<job::Epoch> by;
  Fence fence{segments, job::Epoch(2), [this](job::Epoch epoch) { by = epoch; }};
};

TEST(Fence, IsPassedBySegmentsOfNewerMastersOnly) {
  FenceOfTwo newest(2);
  newest.fence.check();
  EXPECT_EQ(newest.by, std::nullopt);
  FenceOfTwo old(3);
  old.fence.check();
  EXPECT_EQ(old.by, job::Epoch(3));
}

TEST(Fence, DoesNotBelieveAnAgentWhoseMasterHasNoSegment) {
  FenceOfTwo newest(2);
  EXPECT_FALSE(newest.fence.claimed(job::Epoch(9)));
  EXPECT_EQ(newest.by, std::nullopt);
}

TEST(Fence, BelievesAnAgentOfANewerMaster) {
  FenceOfTwo old(3);
  EXPECT_TRUE(old.fence.claimed(job::Epoch(3)));
  EXPECT_EQ(old.by, job::Epoch(3));
}

TEST(Fence, BelievesAnAgentWhereTheLogCannotBeAsked) {
  FenceOfTwo blind(0);
  EXPECT_TRUE(blind.fence.claimed(job::Epoch(5)));
  EXPECT_EQ(blind.by, job::Epoch(5));
}

}  // namespace
}  // namespace muster::master

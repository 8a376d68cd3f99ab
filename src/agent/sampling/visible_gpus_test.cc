#include "agent/sampling/visible_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Environment = std::map<std::string, std::string>;

std::vector<uint32_t> seen(const Environment& environment,
                           os::GpuMaker maker = os::GpuMaker::Nvidia) {
  const std::vector<os::GpuReading> all = {{.maker = maker, .index = 0, .uuid = "GPU-aa11"},
                                           {.maker = maker, .index = 1, .uuid = "GPU-bb22"},
                                           {.maker = maker, .index = 2, .uuid = "GPU-bb33"}};
  std::vector<uint32_t> indices;
  for (const os::GpuReading& gpu : visible_gpus(environment, all)) {
    indices.push_back(gpu.index);
  }
  return indices;
}

std::vector<uint32_t> seen_by_cuda(const std::string& list) {
  return seen({{"CUDA_VISIBLE_DEVICES", list}});
}

TEST(VisibleGpus, FollowTheListAsCudaDoes) {
  EXPECT_THAT(seen({}), ElementsAre(0, 1, 2));
  EXPECT_THAT(seen_by_cuda("2,0"), ElementsAre(2, 0));
  EXPECT_THAT(seen_by_cuda("1, 1"), ElementsAre(1));
  EXPECT_THAT(seen_by_cuda("1,9,0"), ElementsAre(1));
  EXPECT_THAT(seen_by_cuda("GPU-bb3,GPU-aa"), ElementsAre(2, 0));
  EXPECT_THAT(seen_by_cuda("MIG-GPU-bb22/1/0"), ElementsAre(1));
  for (const char* const none : {"", "-1", "none", "NoDevFiles", "MIG-1234", "99999999999"}) {
    EXPECT_THAT(seen_by_cuda(none), IsEmpty()) << none;
  }
}

TEST(VisibleGpus, OfAmdFollowTheListsOfTheirOwnLibraries) {
  constexpr os::GpuMaker kAmd = os::GpuMaker::Amd;
  EXPECT_THAT(seen({{"CUDA_VISIBLE_DEVICES", "1"}}, kAmd), ElementsAre(1));
  EXPECT_THAT(seen({{"CUDA_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "2"}}, kAmd),
              ElementsAre(2));
  EXPECT_THAT(seen({{"ROCR_VISIBLE_DEVICES", "1,2"}, {"HIP_VISIBLE_DEVICES", "1"}}, kAmd),
              ElementsAre(2));
  EXPECT_THAT(seen({{"HIP_VISIBLE_DEVICES", "-1"}}, kAmd), IsEmpty());
}

TEST(VisibleGpus, AreNotLookedForWhereAProgramSeesNone) {
  EXPECT_TRUE(may_see_gpus({}));
  EXPECT_TRUE(may_see_gpus({{"CUDA_VISIBLE_DEVICES", "0"}, {"HIP_VISIBLE_DEVICES", "-1"}}));
  EXPECT_TRUE(may_see_gpus({{"CUDA_VISIBLE_DEVICES", "MIG-1234"}}));
  EXPECT_FALSE(may_see_gpus({{"CUDA_VISIBLE_DEVICES", "-1"}, {"HIP_VISIBLE_DEVICES", "-1"}}));
  EXPECT_FALSE(may_see_gpus({{"CUDA_VISIBLE_DEVICES", ""}}));
}

}  // namespace
}  // namespace muster::agent

#include "cluster/yarn/link/gpu_claims.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace muster::cluster::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// GPUs that no other process and no other test knows about.
std::vector<os::Gpu> gpus(uint32_t count) {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::vector<os::Gpu> made;
  for (uint32_t i = 0; i < count; ++i) {
    made.push_back({.index = i,
                    .uuid = fmt::format("GPU-{}-{}-{}", ::getpid(), test, i),
                    .model = "fake",
                    .memory_bytes = 0});
  }
  return made;
}

TEST(GpuClaims, TakesWhatIsolationLetsSee) {
  const auto claims = claim_gpus(gpus(2), 2, {});
  ASSERT_TRUE(claims.has_value());
  EXPECT_THAT(claims->indices, ElementsAre(0, 1));
  EXPECT_THAT(claims->held, IsEmpty());
  EXPECT_THAT(claim_gpus({}, 2, {})->indices, IsEmpty());
}

TEST(GpuClaims, ContainersOfAHostGetDifferentOnes) {
  const auto seen = gpus(3);
  auto first = claim_gpus(seen, 1, {});
  const auto second = claim_gpus(seen, 2, {});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_THAT(first->indices, ElementsAre(0));
  EXPECT_THAT(second->indices, ElementsAre(1, 2));
  first = GpuClaims();
  EXPECT_THAT(claim_gpus(seen, 1, {})->indices, ElementsAre(0));
}

TEST(GpuClaims, SaysThatOthersHaveThem) {
  const auto seen = gpus(3);
  const auto first = claim_gpus(seen, 2, {});
  ASSERT_TRUE(first.has_value());
  const auto second = claim_gpus(seen, 2, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr("use all but 1"));
}

}  // namespace
}  // namespace muster::cluster::yarn

#include "client/submit/assumed_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AssumedSizes, FillsInWhatAContainerMustHaveAndSaysSo) {
  spec::Spec spec;
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[0].memory = 4ULL << 30;
  spec.roles[1].name = "ps";
  EXPECT_THAT(assume_sizes(spec),
              ElementsAre("1 GiB of memory per task for ps", "1 vcore per task"));
  EXPECT_EQ(spec.roles[0].memory, 4ULL << 30);
  EXPECT_EQ(spec.roles[1].memory, spec::kContainerMemory);
  EXPECT_EQ(spec.roles[0].vcores, spec::kContainerVcores);
  EXPECT_THAT(assume_sizes(spec), IsEmpty());
}

}  // namespace
}  // namespace muster::client

#include "keeper/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::keeper {
namespace {

using ::testing::ElementsAre;

TEST(KeeperCommand, ReadsWhatTheLocalClusterWrites) {
  const auto options = parse_command("/opt/muster", {"--order-fd", "3", "--claim-fd", "4",
                                                     "--claim-file", "/tmp/claims/1.job.c1"});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->agent_argv,
              ElementsAre("/opt/muster", "agent", "--order-fd", "3", "--claim-fd", "4"));
  EXPECT_THAT(options->handed, ElementsAre(3));
  EXPECT_THAT(options->held, ElementsAre(4));
  EXPECT_EQ(options->remove_at_end, "/tmp/claims/1.job.c1");
}

TEST(KeeperCommand, RefusesEverythingElse) {
  EXPECT_FALSE(parse_command("muster", {}).has_value());
  EXPECT_FALSE(parse_command("muster", {"--order-fd"}).has_value());
  EXPECT_FALSE(parse_command("muster", {"--order-fd", "0"}).has_value());
  EXPECT_FALSE(parse_command("muster", {"--order-fd", "3x"}).has_value());
  EXPECT_FALSE(parse_command("muster", {"--order-fd", "3", "--help", "4"}).has_value());
}

}  // namespace
}  // namespace muster::keeper

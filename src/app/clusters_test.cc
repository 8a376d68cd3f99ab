#include "app/clusters.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <array>

namespace muster::app {
namespace {

class KindsTest : public ::testing::Test {
 protected:
  std::array<char*, 1> none_{nullptr};
  client::Environment environment_{none_.data()};
};

TEST_F(KindsTest, MastersAreOfAKindThatThereIs) {
  EXPECT_TRUE(make_master_side(environment_, {.job_folder = "/jobs/a", .spark = {}, .on = ""}));
  EXPECT_TRUE(make_master_side(environment_, {.job_folder = "", .spark = {}, .on = "yarn"}));
  const auto made =
      make_master_side(environment_, {.job_folder = "", .spark = {}, .on = "nowhere"});
  EXPECT_EQ(made.error().message, "there is no kind of cluster `nowhere`");
}

TEST_F(KindsTest, KeepersAreEnteredWhereTheClusterStartsThem) {
  EXPECT_EQ(enter_container("local", environment_).error().message,
            "clusters of kind `local` start no keepers");
  EXPECT_EQ(enter_container("yarn", environment_).error().message,
            "HADOOP_TOKEN_FILE_LOCATION is not set: this program is started by Muster in a "
            "container");
}

TEST_F(KindsTest, OnlyAgentsWithAClaimStartMasters) {
  EXPECT_EQ(make_master_starter(*os::make_local_files(nullptr), {}, 3, false), nullptr);
}

}  // namespace
}  // namespace muster::app

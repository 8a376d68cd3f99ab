#include "hadoop/hdfs/names/server_time.h"

#include "testing/hadoop/fake_hdfs.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::hadoop::hdfs {
namespace {

TEST(ServerTime, IsTheNameNodesWhateverTheClockHere) {
  testing::FakeHdfs hdfs(1);
  hdfs.name_node.now_ms = milliseconds_of(hdfs.loop.wall_now() + std::chrono::hours(24 * 60));
  const Result<WallTime> told = hdfs.run(server_time(&hdfs.client, "/user/alice/.muster/now"));
  EXPECT_EQ(milliseconds_of(told.value()), hdfs.name_node.now_ms);
  EXPECT_FALSE(hdfs.name_node.files.contains("/user/alice/.muster/now"));
}

TEST(ServerTime, SaysWhyThereIsNone) {
  testing::FakeHdfs hdfs(1);
  hdfs.name_node.refusals["mkdirs"].push_back(
      {"org.apache.hadoop.security.AccessControlException", "Permission denied: user=alice"});
  EXPECT_EQ(hdfs.run(server_time(&hdfs.client, "/x")).error().code, Errc::PermissionDenied);
}

}  // namespace
}  // namespace muster::hadoop::hdfs

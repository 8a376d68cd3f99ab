#include "cluster/yarn/staging/cleaning_turn.h"

#include "cluster/retention.h"
#include "hadoop/hdfs/names/server_time.h"
#include "testing/hadoop/fake_hdfs.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;
using std::chrono::hours;

constexpr const char* kRoot = "/user/alice/.muster";
constexpr const char* kScratch = "/user/alice/.muster/now";

/// The clock of HDFS is 60 days ahead of this host's.
struct CleaningTurn : ::testing::Test {
  CleaningTurn() { set(hdfs.loop.wall_now() + hours(24 * 60)); }

  void set(WallTime now) { hdfs.name_node.now_ms = hdfs::milliseconds_of(now); }
  bool taken() { return hdfs.run(take_cleaning_turn(&hdfs.client, kRoot, kScratch)).value(); }
  WallTime now() { return hdfs::wall_of(hdfs.name_node.now_ms); }

  testing::FakeHdfs hdfs{1};
};

TEST_F(CleaningTurn, ComesOnceADayOfHdfs) {
  EXPECT_TRUE(taken());
  EXPECT_FALSE(taken());
  set(now() + hours(23));
  EXPECT_FALSE(taken());
  set(now() + hours(1));
  EXPECT_TRUE(taken());
  EXPECT_FALSE(taken());
}

TEST_F(CleaningTurn, IsNotMovedByTheClockHere) {
  EXPECT_TRUE(taken());
  hdfs.loop.shift_wall(hours(24 * 365));
  EXPECT_FALSE(taken());
}

TEST_F(CleaningTurn, IsTakenWhenTheLastIsATimeToCome) {
  set(now() + hours(24 * 300));
  EXPECT_TRUE(taken());
  set(now() - hours(24 * 300));
  EXPECT_TRUE(taken());
  EXPECT_FALSE(taken());
}

TEST_F(CleaningTurn, LeavesNothingButItsStamp) {
  EXPECT_TRUE(taken());
  EXPECT_FALSE(hdfs.name_node.files.contains(kScratch));
}

}  // namespace
}  // namespace muster::cluster::yarn

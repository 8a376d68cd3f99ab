#include "hadoop/hdfs/file_recovery.h"

#include "testing/hadoop/fake_hdfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::hadoop::hdfs {
namespace {

using ::muster::testing::FakeHdfs;
using ::testing::HasSubstr;

TEST(FileRecovery, ClosesTheFileOfALostWriter) {
  FakeHdfs fs(2);
  const auto writer = fs.open("/log", {.replication = 2});
  ASSERT_TRUE(fs.run(writer->write("kept")).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  fs.name_node.recoveries_wait = 3;
  ASSERT_TRUE(fs.run(recover_file(fs.deps(), "/log", std::chrono::minutes(1))).has_value());
  EXPECT_EQ(fs.read("/log"), "kept");
  EXPECT_EQ(fs.name_node.calls["recoverLease"], 4);
  // Who wrote it notices.
  ASSERT_TRUE(fs.run(writer->write(std::string(10, 'x'))).has_value());
  const Status closed = fs.run(writer->close());
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().code, Errc::Cancelled);
}

TEST(FileRecovery, AClosedFileIsSuccess) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", "abc", 1024);
  EXPECT_TRUE(fs.run(recover_file(fs.deps(), "/f", std::chrono::minutes(1))).has_value());
}

TEST(FileRecovery, GivesUpWithAWord) {
  FakeHdfs fs(1);
  const auto writer = fs.open("/log", {.replication = 1});
  fs.name_node.recoveries_wait = 1000;
  const Status recovered = fs.run(recover_file(fs.deps(), "/log", std::chrono::minutes(1)));
  ASSERT_FALSE(recovered.has_value());
  EXPECT_EQ(recovered.error().code, Errc::Unavailable);
  EXPECT_THAT(recovered.error().message, HasSubstr("/log is still open 60 s after"));
}

}  // namespace
}  // namespace muster::hadoop::hdfs

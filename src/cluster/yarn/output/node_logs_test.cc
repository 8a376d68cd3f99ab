#include "cluster/yarn/output/node_logs.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

TEST(NodeLogs, ListsFilesOnceOfOneOrOfManyEntries) {
  const auto one = parse_node_logs(
      R"({"containerLogsInfo":{"containerLogInfo":{"fileName":"a","fileSize":"3"}}})");
  ASSERT_TRUE(one.has_value()) << one.error().message;
  EXPECT_EQ(*one, (std::vector<NodeLogFile>{{.name = "a", .size_bytes = 3}}));
  const auto many = parse_node_logs(
      R"({"containerLogsInfo":[{"logAggregationType":"AGGREGATED","containerLogInfo":[
         {"fileName":"a","fileSize":"3"}]},{"logAggregationType":"LOCAL","containerLogInfo":[
         {"fileName":"a","fileSize":"3"},{"fileName":"b","fileSize":"0"}]}]})");
  ASSERT_TRUE(many.has_value()) << many.error().message;
  EXPECT_EQ(many->size(), 2U);
  EXPECT_EQ(parse_node_logs("<html>").error().code, Errc::Corrupt);
  EXPECT_EQ(parse_node_logs(R"({"RemoteException":{}})").error().code, Errc::Corrupt);
}

TEST(NodeLogs, TakesTheContentOutOfItsPage) {
  const std::string page =
      "Container: c on n\nLogType:a\nLogLength:9\nLogContents:\nLogLength\nEnd of LogType:a.\n";
  const auto whole = parse_node_log(page, 100);
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  EXPECT_EQ(whole->file_bytes, 9U);
  EXPECT_EQ(whole->bytes, "LogLength");
  const std::string end =
      "Container: c on n\nLogType:a\nLogLength:9\nLogContents:\ngth\nEnd of LogType:a.\n";
  EXPECT_EQ(parse_node_log(end, 3)->bytes, "gth");
  EXPECT_EQ(parse_node_log("LogLength:9\nLogContents:\n", 9).error().code, Errc::Corrupt);
}

TEST(NodeLogs, KnowsTheOutputOfTasksByItsName) {
  for (const char* name :
       {"worker-0.1.stdout", "my-role-12.3.stderr", "ps-0.1.stdout.2", "ps-0.1.stderr.times"}) {
    EXPECT_TRUE(is_task_log(name)) << name;
  }
  for (const char* name :
       {"agent.stdout", "launch_container.sh", "prelaunch.out", "x-0.stdout", "-0.1.stdout",
        "../a-0.1.stdout", "a-0.1.stdout.x", "a-0.1.stdout.1.2", "a HTTP/1.1\r\nX: y-0.1.stdout",
        "a?b-0.1.stdout", "%2Fa-0.1.stdout", "\x1b[2J-0.1.stdout"}) {
    EXPECT_FALSE(is_task_log(name)) << name;
  }
}

}  // namespace
}  // namespace muster::cluster::yarn

#include "cluster/spark/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::spark {
namespace {

using ::testing::HasSubstr;

TEST(Messages, ReadAGrant) {
  const auto message =
      parse_driver_message(R"({"is":"granted","request":3,"container":"c3",)"
                           R"("host":"n1","folder":"/tmp/j","listen":"10.0.0.7"})");
  ASSERT_TRUE(message.has_value());
  const auto& granted = std::get<Granted>(*message);
  EXPECT_EQ(granted.request.value, 3U);
  EXPECT_EQ(granted.container.value, "c3");
  EXPECT_EQ(granted.host.value, "n1");
  EXPECT_EQ(granted.folder, "/tmp/j");
  EXPECT_EQ(granted.listen_host, "10.0.0.7");
}

TEST(Messages, ReadTheEndOfAContainer) {
  const auto message = parse_driver_message(
      R"({"is":"ended","container":"c1","kind":"host_lost","diagnostics":"executor 2 is gone"})");
  ASSERT_TRUE(message.has_value());
  const auto& ended = std::get<job::ContainerEnded>(*message);
  EXPECT_EQ(ended.kind, job::ContainerEndKind::HostLost);
  EXPECT_FALSE(ended.exit_code.has_value());
  const auto coded = parse_driver_message(
      R"({"is":"ended","container":"c1","kind":"completed","diagnostics":"","exit_code":70})");
  ASSERT_TRUE(coded.has_value());
  EXPECT_EQ(std::get<job::ContainerEnded>(*coded).exit_code, 70);
  EXPECT_EQ(std::get<job::ContainerEnded>(*coded).cluster_code, "70");
  const auto by_spark = parse_driver_message(
      R"({"is":"ended","container":"c1","kind":"host_lost","diagnostics":"","code":"-104"})");
  ASSERT_TRUE(by_spark.has_value());
  EXPECT_EQ(std::get<job::ContainerEnded>(*by_spark).cluster_code, "-104");
}

TEST(Messages, RefuseWhatTheyDoNotKnow) {
  for (const char* line :
       {"", "granted", "[]", R"({"is":7})", R"({"is":"else"})",
        R"({"is":"granted","request":-1,"container":"c","host":"h","folder":"f","listen":"l"})",
        R"({"is":"ended","container":"c","kind":"melted","diagnostics":""})"}) {
    const auto message = parse_driver_message(line);
    ASSERT_FALSE(message.has_value()) << line;
    EXPECT_EQ(message.error().code, Errc::Corrupt);
    EXPECT_THAT(message.error().message, HasSubstr("Spark driver"));
  }
}

TEST(Messages, AnOrderLeavesWithoutItsKey) {
  AgentLaunch launch;
  launch.order.container.value = "c1";
  launch.order.agent_key_hex = "5ec2e7";
  const std::string line = launch_line(launch);
  EXPECT_THAT(line, HasSubstr(R"("key":"5ec2e7")"));
  EXPECT_THAT(line, HasSubstr("key=\\n"));
  EXPECT_TRUE(line.ends_with("}\n"));
}

}  // namespace
}  // namespace muster::cluster::spark

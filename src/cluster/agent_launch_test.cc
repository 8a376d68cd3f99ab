#include "cluster/agent_launch.h"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

AgentLaunch sample() {
  AgentLaunch launch;
  launch.order = {job::ContainerId{"c3"}, job::HostName{"h1"}, job::JobId{"digits-1"},
                  job::Epoch{2},          "127.0.0.1:4711",    std::string(64, 'a')};
  launch.job_folder = "/home/me/a folder=1/jobs/digits-1";
  launch.listen_host = "127.0.0.1";
  launch.network = {.interface = "eth0", .port_range = spec::PortRange{20000, 20999}};
  launch.task_port = 2222;
  launch.gpus = {0, 3};
  launch.orphan = std::chrono::seconds(7);
  return launch;
}

TEST(AgentLaunch, SurvivesItsTextForm) {
  const Result<AgentLaunch> decoded = decode_agent_launch(encode(sample()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(encode(*decoded), encode(sample()));
  EXPECT_EQ(decoded->gpus, (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(decoded->network, sample().network);
  EXPECT_EQ(decoded->task_port, 2222);
  EXPECT_EQ(decoded->order.container.value, "c3");
  EXPECT_EQ(decoded->job_folder, sample().job_folder);
}

TEST(AgentLaunch, RefusesEveryTruncation) {
  const std::string text = encode(sample());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    const Result<AgentLaunch> decoded = decode_agent_launch(std::string_view(text).substr(0, size));
    if (decoded.has_value()) {
      EXPECT_LT(decoded->orphan, sample().orphan) << "only the last number may come out shorter";
    }
  }
}

TEST(AgentLaunch, RefusesWhatComesTwice) {
  EXPECT_FALSE(decode_agent_launch(encode(sample()) + "host=h2\n").has_value());
}

}  // namespace
}  // namespace muster::cluster

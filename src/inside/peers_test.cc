#include "inside/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace muster::inside {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kView = R"({"worker":["10.0.0.7:4000",null,"[fd00::0:4]:4000"],"ps":[]})";

TEST(Peers, AreTheHostsOfTheView) {
  EXPECT_THAT(hosts_in_view(kView), ElementsAre("10.0.0.7", "fd00::4"));
  EXPECT_THAT(hosts_in_view("{"), IsEmpty());
  EXPECT_THAT(hosts_in_view("[1]"), IsEmpty());
  EXPECT_EQ(address_in_view(kView, "worker", 2), "[fd00::0:4]:4000");
  EXPECT_EQ(address_in_view(kView, "worker", 1), "");
  EXPECT_EQ(address_in_view(kView, "worker", 3), "");
  EXPECT_EQ(address_in_view(kView, "chief", 0), "");
}

TEST(Peers, AreThoseOfRolesWhoseTasksComeAndGo) {
  constexpr const char* kElastic = R"({"driver":["10.0.0.7:1"],"worker":{"2":"10.0.0.8:4002"}})";
  EXPECT_THAT(hosts_in_view(kElastic), ElementsAre("10.0.0.7", "10.0.0.8"));
  EXPECT_THAT(role_in_view(kElastic, "worker"), ElementsAre(Pair(2, "10.0.0.8:4002")));
  EXPECT_EQ(address_in_view(kElastic, "worker", 2), "10.0.0.8:4002");
  EXPECT_EQ(address_in_view(kElastic, "worker", 0), "");
}

TEST(Peers, LearnOfTasksThatJoinLater) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("view-" + std::to_string(::getpid()));
  const auto write = [&](const char* text, int hours) {
    std::ofstream(file) << text;
    // As clearly different as two writes of an agent.
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  write(R"({"worker":["10.0.0.7:4000"]})", 2);
  Peers peers(file);
  EXPECT_TRUE(peers.admits("10.0.0.7:55000"));
  EXPECT_FALSE(peers.admits("10.0.0.8:55000"));
  EXPECT_FALSE(peers.admits("127.0.0.1:55000"));
  EXPECT_FALSE(peers.admits("nonsense"));
  write(R"({"worker":["10.0.0.7:4000","10.0.0.8:4000"]})", 1);
  EXPECT_TRUE(peers.admits("10.0.0.8:55000"));
  write(R"({"worker":["127.0.0.2:4000"]})", 0);
  EXPECT_TRUE(peers.admits("127.0.0.1:55000")) << "the kernel's choice, whatever was dialled";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace muster::inside

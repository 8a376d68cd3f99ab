#include "cluster/yarn/link/container_entry.h"

#include "hadoop/token_file.h"
#include "testing/memory_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using ::testing::HasSubstr;

class ContainerEntry : public ::testing::Test {
 protected:
  ::muster::testing::MemoryTree tree_;
  ::muster::testing::MemoryFiles files_{tree_};
  FindVariable find_ = [](std::string_view name) -> std::optional<std::string> {
    return name == "HADOOP_TOKEN_FILE_LOCATION" ? std::optional<std::string>("/tokens")
           : name == "LOG_DIRS"                 ? std::optional<std::string>("/logs")
                                                : std::nullopt;
  };
};

// The task inherits the file name.
TEST_F(ContainerEntry, LeavesNoKeyOfOursInTheTokenFile) {
  AgentLaunch launch;
  launch.order.job.value = "job-1";
  launch.order.agent_key_hex = std::string(64, 'a');
  hadoop::Credentials credentials;
  credentials.add("am", {.identifier = "i",
                         .password = hadoop::Secret("p"),
                         .kind = std::string(hadoop::token_kind::kAmRm),
                         .service = ""});
  credentials.add("nn", {.identifier = "i",
                         .password = hadoop::Secret("p"),
                         .kind = "HDFS_DELEGATION_TOKEN",
                         .service = "nn:8020"});
  credentials.add_secret(std::string(kLaunchSecret), hadoop::Secret(encode(launch)));
  credentials.add_secret(std::string(kJobSecret), hadoop::Secret("s"));
  credentials.add_secret("users.own", hadoop::Secret("kept"));
  ASSERT_TRUE(hadoop::write_token_file(files_, "/tokens", credentials).has_value());
  const auto entered = enter_container(files_, find_, "/container");
  ASSERT_TRUE(entered.has_value()) << entered.error().message;
  EXPECT_EQ(entered->launch.order.agent_key_hex, launch.order.agent_key_hex);
  const auto left = hadoop::read_token_file(files_, "/tokens");
  ASSERT_TRUE(left.has_value());
  ASSERT_EQ(left->tokens().size(), 1U);
  EXPECT_EQ(left->tokens()[0].alias, "nn");
  ASSERT_EQ(left->secrets().size(), 1U);
  EXPECT_EQ(left->secrets()[0].alias, "users.own");
  EXPECT_EQ(files_.read("/tokens", 1 << 20).value().find(launch.order.agent_key_hex),
            std::string::npos);
}

}  // namespace
}  // namespace muster::cluster::yarn

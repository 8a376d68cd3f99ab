#include "hadoop/resource_manager.h"

#include "hadoop/conf_fixture_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

TEST(ResourceManager, OneHostNameGivesAllAddresses) {
  const Result<ResourceManagers> managers =
      resource_managers(configured({{"yarn.resourcemanager.hostname", "rm"},
                                    {"yarn.resourcemanager.scheduler.address", "other:1"}}));
  ASSERT_TRUE(managers.has_value()) << managers.error().message;
  ASSERT_EQ(managers->all.size(), 1U);
  EXPECT_EQ(
      managers->all[0],
      (ResourceManager{"", {"rm", 8032}, {"other", 1}, {"rm", 8033}, {"rm", 8031}, {"rm", 8088}}));
  EXPECT_EQ(managers->connect_wait_max, std::chrono::minutes(15));
  EXPECT_EQ(resource_managers(Configuration())->all[0].client, (net::HostPort{"0.0.0.0", 8032}));
}

TEST(ResourceManager, APairHasItsOwnAddresses) {
  std::vector<std::pair<std::string, std::string>> items{
      {"yarn.resourcemanager.ha.enabled", "true"},
      {"yarn.resourcemanager.ha.rm-ids", "rm1,rm2"},
      {"yarn.resourcemanager.hostname.rm1", "one"},
      {"yarn.resourcemanager.address.rm1", "one:9"},
      {"yarn.resourcemanager.hostname.rm2", "two"},
      {"yarn.http.policy", "HTTPS_ONLY"},
      {"yarn.resourcemanager.connect.max-wait.ms", "-1"}};
  const Result<ResourceManagers> managers = resource_managers(configured(items));
  ASSERT_TRUE(managers.has_value()) << managers.error().message;
  ASSERT_EQ(managers->all.size(), 2U);
  EXPECT_EQ(managers->all[0].client, (net::HostPort{"one", 9}));
  EXPECT_EQ(managers->all[1].id, "rm2");
  EXPECT_EQ(managers->all[1].web, (net::HostPort{"two", 8090}));
  EXPECT_EQ(managers->connect_wait_max, Duration::max());
  items[4].first = "unrelated";
  EXPECT_EQ(resource_managers(configured(items)).error().message,
            "the Hadoop configuration lacks yarn.resourcemanager.address.rm2: "
            "yarn.resourcemanager.ha.rm-ids names rm2: give this address or "
            "yarn.resourcemanager.hostname.rm2");
  items[1].second = "";
  EXPECT_NE(resource_managers(configured(items)).error().message.find("list the ids"),
            std::string::npos);
}

TEST(ResourceManager, RefusesWhatIsNoAddress) {
  EXPECT_EQ(
      resource_managers(configured({{"yarn.resourcemanager.hostname", "rm:8032"}})).error().message,
      "test.xml:1:3: error: yarn.resourcemanager.hostname is \"rm:8032\": must be the name of a "
      "host, without a port");
  EXPECT_FALSE(resource_managers(configured({{"yarn.resourcemanager.address", "rm:http"}})));
  EXPECT_FALSE(
      resource_managers(configured({{"yarn.resourcemanager.connect.retry-interval.ms", "0"}})));
}

TEST(ResourceManager, KnowsOtherResources) {
  EXPECT_EQ(*resource_types(configured({{"yarn.resource-types", "memory-mb, yarn.io/gpu,fpga"}})),
            (std::vector<std::string>{"yarn.io/gpu", "fpga"}));
  EXPECT_EQ(node_manager_settings(Configuration())->connect_wait_max, std::chrono::minutes(3));
}

}  // namespace
}  // namespace muster::hadoop

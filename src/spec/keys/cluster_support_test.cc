#include "spec/keys/cluster_support.h"

#include "spec/keys/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the keys of a specification that have no keys below them.
std::vector<std::string> leaves() {
  const std::vector<KeyInfo> all = key_table();
  std::vector<std::string> keys;
  for (const KeyInfo& key : all) {
    const bool group =
        key.path == "roles" || std::ranges::any_of(all, [&](const KeyInfo& other) {
          return other.path.size() > key.path.size() && other.path.starts_with(key.path) &&
                 (other.path[key.path.size()] == '.' || other.path[key.path.size()] == '[');
        });
    if (key.place != Place::Site && !group) {
      keys.push_back(key.path);
    }
  }
  return keys;
}

TEST(ClusterSupport, SaysOfEveryKeyWhereItWorks) {
  std::vector<std::string> listed;
  for (const KeySupport& support : kKeySupports) {
    listed.emplace_back(support.key);
    EXPECT_TRUE(support.local || support.yarn || support.spark) << support.key;
    EXPECT_EQ(support.reason.empty(), support.local && support.yarn && support.spark)
        << support.key << ": a reason stands where a cluster is left out, and only there";
  }
  EXPECT_EQ(listed, leaves()) << "a new key belongs into src/spec/keys/cluster_support.cc";
}

/// Returns a specification that sets every key that some cluster cannot honour.
Spec everything() {
  Spec spec;
  spec.master = {.memory = Bytes{1} << 33, .vcores = 7, .attempts = 9};
  spec.yarn = {.queue = "ml",
               .tags = {"a"},
               .type = "OTHER",
               .node_label = "gpu",
               .priority = 7,
               .staging = "hdfs:///s",
               .attempt_window = std::chrono::hours(77),
               .acl_view = {"bob"},
               .acl_modify = {"bob"}};
  spec.hosts.avoid = {"node7"};
  spec.hosts.remembered = false;
  spec.local = {.hosts = 3, .strict_vcores = true, .share_gpus = true};
  Role role;
  role.name = "worker";
  role.resources = {{"fpga", 1}};
  role.node_label = "gpu";
  role.constraint = "notin,node,worker";
  role.allocation_tags = {"w"};
  role.docker = Docker{.image = "ml/tf:2.15", .mounts = {{.source = "/data", .target = "/data"}}};
  spec.roles = {role};
  return spec;
}

TEST(ClusterSupport, FindsEveryKeyThatIsSetInVain) {
  for (const ClusterType cluster : {ClusterType::Local, ClusterType::Yarn, ClusterType::Spark}) {
    std::vector<std::string> expected;
    for (const KeySupport& support : kKeySupports) {
      if (!support.on(cluster)) {
        std::string key(support.key);
        if (const size_t at = key.find("<role>"); at != std::string::npos) {
          key.replace(at, 6, "worker");
        }
        expected.push_back(key);
      }
    }
    std::vector<std::string> found;
    for (const Unheeded& one : unheeded_keys(everything(), cluster)) {
      found.push_back(one.key);
    }
    EXPECT_EQ(found, expected) << to_string(cluster);
  }
}

TEST(ClusterSupport, IsSilentAboutDefaults) {
  Spec spec;
  spec.roles.emplace_back().name = "worker";
  for (const ClusterType cluster : {ClusterType::Local, ClusterType::Yarn, ClusterType::Spark}) {
    EXPECT_THAT(unheeded_keys(spec, cluster), IsEmpty()) << to_string(cluster);
  }
}

TEST(ClusterSupport, WarnsOncePerReason) {
  Spec spec;
  spec.yarn.queue = "ml";
  spec.yarn.priority = 3;
  spec.local.hosts = 2;
  EXPECT_THAT(unheeded_warnings(spec, ClusterType::Local),
              ElementsAre("yarn.queue, yarn.priority have no effect on this machine: they are "
                          "YARN's own settings"));
  EXPECT_THAT(unheeded_warnings(spec, ClusterType::Yarn),
              ElementsAre("local.hosts has no effect on YARN: they describe how one machine is "
                          "shared"));
}

}  // namespace
}  // namespace muster::spec

#include "cluster/yarn/link/docker_runtime.h"

#include "testing/memory_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(DockerRuntime, IsAskedForWithImageMountsAndTheHostsNetwork) {
  const spec::Docker docker{
      .image = "hub.example:5000/ml/tf:2.15",
      .mounts = {{.source = "/data", .target = "/data", .read_only = true},
                 {.source = "/scratch", .target = "/tmp/work", .read_only = false}}};
  EXPECT_THAT(
      docker_environment(docker),
      UnorderedElementsAre(
          Pair("YARN_CONTAINER_RUNTIME_TYPE", "docker"),
          Pair("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "hub.example:5000/ml/tf:2.15"),
          Pair("YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", "host"),
          Pair("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "/data:/data:ro,/scratch:/tmp/work:rw")));
}

TEST(DockerRuntime, WithoutMountsNoneAreNamed) {
  const auto environment = docker_environment({.image = "tf", .mounts = {}});
  EXPECT_FALSE(environment.contains("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"));
}

std::optional<std::string> asked_for_docker(std::string_view name) {
  if (name == "YARN_CONTAINER_RUNTIME_TYPE") {
    return "docker";
  }
  return name == "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE" ? std::optional<std::string>("tf:2")
                                                       : std::nullopt;
}

TEST(DockerRuntime, AHostThatPassesOverItIsAnErrorWithWhatToChange) {
  ::muster::testing::MemoryTree tree;
  ::muster::testing::MemoryFiles files(tree);
  const Status outside = check_runs_in_docker(files, asked_for_docker);
  ASSERT_FALSE(outside.has_value());
  EXPECT_THAT(outside.error().message, HasSubstr("without the image tf:2"));
  EXPECT_THAT(outside.error().message,
              HasSubstr("yarn.nodemanager.runtime.linux.allowed-runtimes"));
  EXPECT_TRUE(check_runs_in_docker(files, [](std::string_view) {
                return std::optional<std::string>();
              }).has_value());
}

TEST(DockerRuntime, ItsMarkIsFound) {
  ::muster::testing::MemoryTree tree;
  ::muster::testing::MemoryFiles files(tree);
  ASSERT_TRUE(files.write("/.dockerenv", "", {}).has_value());
  EXPECT_TRUE(check_runs_in_docker(files, asked_for_docker).has_value());
}

}  // namespace
}  // namespace muster::cluster::yarn

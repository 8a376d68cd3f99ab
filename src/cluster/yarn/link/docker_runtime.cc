#include "cluster/yarn/link/docker_runtime.h"

#include "base/text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace muster::cluster::yarn {
namespace {

constexpr std::string_view kType = "YARN_CONTAINER_RUNTIME_TYPE";
constexpr std::string_view kImage = "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE";
constexpr std::string_view kMounts = "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS";
constexpr std::string_view kNetwork = "YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK";
constexpr std::string_view kDocker = "docker";

}  // namespace

std::map<std::string, std::string> docker_environment(const spec::Docker& docker) {
  std::map<std::string, std::string> environment = {{std::string(kType), std::string(kDocker)},
                                                    {std::string(kImage), docker.image},
                                                    {std::string(kNetwork), "host"}};
  std::vector<std::string> mounts;
  mounts.reserve(docker.mounts.size());
  for (const spec::Mount& mount : docker.mounts) {
    mounts.push_back(
        fmt::format("{}:{}:{}", mount.source, mount.target, mount.read_only ? "ro" : "rw"));
  }
  if (!mounts.empty()) {
    environment[std::string(kMounts)] = join(mounts, ",");
  }
  return environment;
}

Status check_runs_in_docker(os::Files& files, const FindVariable& find) {
  // Docker and Podman each leave a marker file at the root of their containers.
  if (find(kType).value_or("") != kDocker || files.exists("/.dockerenv") ||
      files.exists("/run/.containerenv")) {
    return {};
  }
  return cluster_error(
      fmt::format("this host runs the container outside of Docker, without the image {}: ask the "
                  "administrators for the LinuxContainerExecutor with `docker` among "
                  "yarn.nodemanager.runtime.linux.allowed-runtimes, or leave the role's `docker` "
                  "out",
                  printable(find(kImage).value_or(""))),
      Errc::Unsupported);
}

}  // namespace muster::cluster::yarn

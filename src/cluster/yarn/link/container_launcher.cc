#include "cluster/yarn/link/container_launcher.h"

#include "cluster/agent_launch.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/link/container_entry.h"
#include "cluster/yarn/link/docker_runtime.h"
#include "hadoop/credentials.h"

#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kStartMax = std::chrono::minutes(2);
constexpr Duration kStopMax = std::chrono::seconds(5);

}  // namespace

ContainerLauncher::ContainerLauncher(const LinkDeps& deps, const job::Plan& plan,
                                     std::vector<StagedFile> files, rm::NodeDialSettings dialing)
    : deps_(deps),
      plan_(plan),
      files_(std::move(files)),
      nodes_(deps.loop, deps.dial_nodes(std::move(dialing))),
      starter_(deps.loop, nodes_),
      stopper_(nodes_) {}

rt::Async<Status> ContainerLauncher::launch(LaunchOrder order, rm::Grant grant,
                                            job::RoleIndex role) {
  auto resolved = co_await deps_.address_of(grant.node.host);
  MUSTER_CO_TRY(std::string address, std::move(resolved));
  auto context = context_of(order, grant, role, std::move(address));
  auto started =
      co_await starter_.start(std::move(grant), std::move(context), deps_.loop.now() + kStartMax);
  co_return started;
}

rt::Async<Result<rm::ContainerStopper::Fate>> ContainerLauncher::stop(rm::Grant grant) {
  auto fate = co_await stopper_.stop(grant.id, grant.node, deps_.loop.now() + kStopMax);
  co_return fate;
}

rm::LaunchContext ContainerLauncher::context_of(const LaunchOrder& order, const rm::Grant& grant,
                                                job::RoleIndex role,
                                                std::string listen_host) const {
  AgentLaunch launch;
  launch.order = order;
  launch.listen_host = std::move(listen_host);
  launch.network = plan_.spec.network;
  launch.orphan = plan_.liveness.orphan;
  // The container itself finds out which ones.
  launch.gpus.resize(gpus_of(grant.each));
  hadoop::Credentials credentials = deps_.site.credentials;
  credentials.remove_kind(hadoop::token_kind::kAmRm);
  credentials.add_secret(std::string(kLaunchSecret), hadoop::Secret(encode(launch)));
  rm::LaunchContext context;
  for (const StagedFile& staged : files_) {
    context.files[staged.link] = staged.file;
  }
  context.tokens = hadoop::encode_credentials(credentials);
  context.environment = {{"HADOOP_USER_NAME", deps_.site.identity.user},
                         {"MUSTER_HOME", "{{PWD}}"},
                         {"MUSTER_APPLICATION_ID", to_string(grant.id.attempt.application)}};
  if (const spec::Role* const found = spec::find_role(plan_.spec, plan_.role(role).name);
      found != nullptr && found->docker.has_value()) {
    context.environment.merge(docker_environment(*found->docker));
  }
  context.commands = {"exec ./" + std::string(kProgramName) + " keeper --on yarn",
                      "1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr"};
  return context;
}

}  // namespace muster::cluster::yarn

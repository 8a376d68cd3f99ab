#include "cluster/yarn/link/container_launcher.h"

#include "cluster/agent_launch.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/link/container_entry.h"
#include "cluster/yarn/link/docker_runtime.h"
#include "hadoop/credentials.h"
#include "rt/wait.h"

#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kStartMax = std::chrono::minutes(2);
constexpr Duration kStopMax = std::chrono::seconds(5);

}  // namespace

ContainerLauncher::ContainerLauncher(Session& session, const job::Plan& plan,
                                     std::vector<StagedFile> files, rm::NodeDialSettings dialing)
    : session_(session),
      plan_(plan),
      files_(std::move(files)),
      resolver_(session.loop()),
      nodes_(session.loop(), rm::node_dialer(session.client(), std::move(dialing))),
      starter_(session.loop(), nodes_),
      stopper_(nodes_) {}

rt::Async<Status> ContainerLauncher::launch(LaunchOrder order, rm::Grant grant,
                                            job::RoleIndex role) {
  using Addresses = Result<std::vector<net::SocketAddress>>;
  rt::Loop& loop = session_.loop();
  auto resolved = co_await rt::from_callback<Addresses>(
      loop, [&](const auto& answer) { resolver_.resolve(grant.node.host, 1, answer); });
  MUSTER_CO_TRY(const std::vector<net::SocketAddress> addresses, std::move(resolved));
  auto context = context_of(order, grant, role, net::literal_of(addresses.front()));
  auto started =
      co_await starter_.start(std::move(grant), std::move(context), loop.now() + kStartMax);
  co_return started;
}

rt::Async<Result<rm::ContainerStopper::Fate>> ContainerLauncher::stop(rm::Grant grant) {
  auto fate = co_await stopper_.stop(grant.id, grant.node, session_.loop().now() + kStopMax);
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
  // Which ones the container finds out.
  launch.gpus.resize(gpus_of(grant.each));
  hadoop::Credentials credentials = session_.site().credentials;
  credentials.remove_kind(hadoop::token_kind::kAmRm);
  credentials.add_secret(std::string(kLaunchSecret), hadoop::Secret(encode(launch)));
  rm::LaunchContext context;
  for (const StagedFile& staged : files_) {
    context.files[staged.link] = staged.file;
  }
  context.tokens = hadoop::encode_credentials(credentials);
  context.environment = {{"HADOOP_USER_NAME", session_.site().identity.user},
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

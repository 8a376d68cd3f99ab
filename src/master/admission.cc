#include "master/admission.h"

#include "base/check.h"
#include "control/keys.h"
#include "master/members.h"

#include <fmt/format.h>

#include <utility>

namespace muster::master {
std::map<std::string, std::string> secrets_of_role(
    const job::Plan& plan, job::RoleIndex role, const std::map<std::string, std::string>& secrets) {
  const std::string& name = plan.role(role).name;
  const spec::Role* const spec = spec::find_role(plan.spec, name);
  const std::string own = "roles." + name + ".env.";
  constexpr std::string_view kForAll = "env.";
  std::map<std::string, std::string> out;
  for (const auto& [path, value] : secrets) {
    const bool for_all = path.starts_with(kForAll) &&
                         (spec == nullptr || !spec->env.contains(path.substr(kForAll.size())));
    if (for_all || path.starts_with(own) || path == control::kTaskKeySecret) {
      out.emplace(path, value);
    }
  }
  return out;
}

Result<control::Key> Admission::key_of(const control::Peer& peer) const {
  switch (peer.kind) {
    case control::Peer::Kind::Agent: {
      const job::Container* container = find_container(machine_.state(), peer.container);
      if (container == nullptr || container->state == job::ContainerState::Gone) {
        return cluster_error(fmt::format("this job has no live container {}", peer.container.value),
                             Errc::Unauthenticated);
      }
      return control::derive_key(options_.secret, peer);
    }
    case control::Peer::Kind::Owner:
    case control::Peer::Kind::Viewer:
      return control::derive_key(options_.secret, peer);
    case control::Peer::Kind::Master:
      break;
  }
  return cluster_error("masters do not connect to masters", Errc::Unauthenticated);
}

std::shared_ptr<const std::string> Admission::agent_welcome(const job::ContainerId& container) {
  const job::Container* const known = find_container(machine_.state(), container);
  MUSTER_CHECK(known != nullptr, "only agents of this job's containers are welcome");
  std::shared_ptr<const std::string>& encoded = agent_welcomes_[known->role];
  if (!encoded) {
    wire::MasterWelcome welcome{.epoch = header_.epoch,
                                .job_id = options_.job.value,
                                .seed = header_.seed,
                                .plan_json = header_.plan_json,
                                .secrets = {},
                                .master_address = address_,
                                .client_python = options_.client_python};
    welcome.secrets = secrets_of_role(machine_.plan(), known->role, options_.secrets);
    encoded =
        std::make_shared<const std::string>(wire::encode(wire::MasterFrame(std::move(welcome))));
  }
  return encoded;
}

wire::ClientWelcome Admission::client_welcome() const {
  return {.job_id = options_.job.value,
          .epoch = header_.epoch,
          .plan_json = header_.plan_json,
          .seed = header_.seed};
}

cluster::LaunchOrder Admission::launch_order(const job::ContainerId& container) const {
  const job::Container* known = find_container(machine_.state(), container);
  const control::Key key =
      control::derive_key(options_.secret, {control::Peer::Kind::Agent, container});
  return {.container = container,
          .host = known != nullptr ? known->host : job::HostName(),
          .job = options_.job,
          .epoch = header_.epoch,
          .master_address = address_,
          .agent_key_hex = control::to_hex(key)};
}

}  // namespace muster::master

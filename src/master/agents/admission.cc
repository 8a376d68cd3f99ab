#include "master/agents/admission.h"

#include "base/check.h"
#include "control/keys.h"
#include "master/agents/members.h"
#include "rt/system_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
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

Status Admission::listen(control::Transport& transport, control::Transport::Accepted accepted) {
  control::ListenOptions options = options_.listen;
  options.pass_on = [this](const control::Peer& stream) { return take_ticket(stream); };
  MUSTER_TRY(listener_, transport.listen(
                            options, [this](const control::Peer& peer) { return key_of(peer); },
                            std::move(accepted)));
  address_ = listener_->address();
  return {};
}

Status Admission::publish(cluster::PlaceStore& place) const {
  return place.publish({address_, header_.epoch, options_.pid});
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
    case control::Peer::Kind::Stream:
      break;
  }
  return cluster_error("neither masters nor single streams connect to a master",
                       Errc::Unauthenticated);
}

std::optional<wire::StreamOffer> Admission::stream_offer(const job::ContainerId& container) {
  const job::Container* const known = find_container(machine_.state(), container);
  if (known == nullptr || known->agent_address.empty()) {
    return std::nullopt;
  }
  std::array<uint8_t, wire::kTicketDigits / 2> random{};
  rt::SystemRandom().fill(random);
  wire::StreamOffer offer{.address = known->agent_address, .container = container, .ticket = {}};
  for (const uint8_t byte : random) {
    offer.ticket += fmt::format("{:02x}", byte);
  }
  offer.key = control::stream_key_of(
      control::derive_key(options_.secret, {control::Peer::Kind::Agent, container}), offer.ticket);
  if (tickets_.size() >= kTicketsMax) {
    tickets_.pop_front();
  }
  tickets_.push_back({container, offer.ticket, offer.address});
  return offer;
}

std::optional<std::string> Admission::take_ticket(const control::Peer& stream) {
  const auto found = std::ranges::find_if(tickets_, [&](const Ticket& each) {
    return each.container == stream.container && each.ticket == stream.ticket;
  });
  if (found == tickets_.end()) {
    return std::nullopt;
  }
  std::string address = std::move(found->address);
  tickets_.erase(found);
  return address;
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

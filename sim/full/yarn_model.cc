#include "sim/full/yarn_model.h"

#include "base/check.h"
#include "cluster/agent_launch.h"
#include "cluster/yarn/link/container_entry.h"
#include "hadoop/credentials.h"
#include "hadoop/yarn_client.pb.h"
#include "sim/core/host_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

namespace rm = hadoop::yarn;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kNodes = 6;
constexpr int64_t kNodeMemoryMb = 1 << 20;
constexpr int32_t kNodeVcores = 6;
constexpr int32_t kAttemptsMax = 10'000;
constexpr uint16_t kNodePort = 45454;
/// How long a keeper gives its agent, which outlives the stub.
constexpr Duration kKeeperLeaves = seconds(2);
constexpr int32_t kTerminated = 143;
constexpr int32_t kKilled = 137;
/// How often nodes tell the resource manager what they run.
constexpr Duration kNodeReports = seconds(1);
constexpr std::string_view kUser = "alice";

rm::NodeReport report_of(size_t number) {
  const std::string host = fmt::format("h{}", number);
  return {.id = {.host = host, .port = kNodePort},
          .http_address = host + ":8042",
          .used = {},
          .capacity = {.memory_mb = kNodeMemoryMb, .vcores = kNodeVcores},
          .state = rm::NodeState::Running,
          .health = {},
          .labels = {}};
}

template <class Reply, class Request>
Reply ask(testing::FakeService& service, const char* method, const Request& request) {
  const testing::Served served = service.serve(
      method, request.SerializeAsString(), {.user = std::string(kUser), .token_identifier = {}});
  MUSTER_CHECK(served.exception_class.empty(), served.message);
  Reply reply;
  MUSTER_CHECK(reply.ParseFromString(served.reply), "the fake's answer parses");
  return reply;
}

job::ContainerId name_of(const rm::ContainerId& id) { return job::ContainerId(to_string(id)); }

}  // namespace

YarnModel::YarnModel(Around around)
    : around_(std::move(around)),
      site_{.configuration = hadoop::Configuration(),
            .identity = {.user = std::string(kUser), .real_user = {}},
            .credentials = {}},
      manager_(around_.loop, {.largest = {.memory_mb = kNodeMemoryMb, .vcores = kNodeVcores},
                              .masters_outside = true}) {
  for (size_t number = 1; number <= kNodes; ++number) {
    add_node(number);
  }
  submit();
  disturb_later();
}

YarnModel::~YarnModel() = default;

void YarnModel::add_node(size_t number) {
  Node& node = *nodes_.emplace_back(std::make_unique<Node>(report_of(number)));
  manager_.add(node);
  node.on_start = [this, &node](const ContainerId& id, const Node::LaunchContext& context) {
    started(node, id, context);
  };
  node.on_stop = [this, &node](const ContainerId& id) { stopped(node, id); };
  node.on_end = [this, tell = std::move(node.on_end)](const rm::ContainerStatus& status) {
    const bool held = application().held.contains(status.id);
    tell(status);
    ended(status.id, held);
  };
  node.refuses = [this](const ContainerId& id) -> std::string {
    if (paper_.contains(id)) {
      around_.truth.origin_containers.insert(name_of(id));
      return fmt::format("Container {} rejected as it is allocated by a previous RM",
                         to_string(id));
    }
    if (around_.faults.strikes(Fault::LaunchFails)) {
      around_.truth.origin_containers.insert(name_of(id));
      return "No space left on device";
    }
    return {};
  };
}

void YarnModel::submit() {
  namespace pb = ::hadoop::yarn;
  const auto fresh = ask<pb::GetNewApplicationResponse>(manager_.client_side(), "getNewApplication",
                                                        pb::GetNewApplicationRequest());
  pb::SubmitApplicationRequest request;
  auto* const context = request.mutable_application_submission_context();
  *context->mutable_application_id() = fresh.application_id();
  context->set_application_name("sim");
  context->set_queue("default");
  context->set_max_app_attempts(kAttemptsMax);
  context->set_keep_containers_across_application_attempts(true);
  (void)ask<pb::SubmitApplicationResponse>(manager_.client_side(), "submitApplication", request);
  application_ = manager_.applications().begin()->first;
}

testing::FakeApplication& YarnModel::application() { return manager_.application(application_); }

std::unique_ptr<cluster::Link> YarnModel::open_link(const Master& master) {
  cluster::yarn::LinkDeps deps{
      .loop = master.loop,
      .log = master.sink,
      .site = site_,
      .call_manager =
          [this, &loop = master.loop](const rm::Calling& calling) {
            return testing::direct_proxy(loop, manager_.master_side(), "",
                                         calling.target.find_token);
          },
      .dial_nodes =
          [this, &loop = master.loop](const rm::NodeDialSettings&) {
            return [this, &loop](const rm::NodeId& at, hadoop::rpc::TokenFinder find_token) {
              return testing::direct_proxy(loop, *manager_.node(at), "", std::move(find_token));
            };
          },
      .address_of = [](std::string host) -> rt::Async<Result<std::string>> {
        co_return Result<std::string>(std::move(host));
      }};
  cluster::yarn::YarnLinkOptions options;
  options.plan = &master.plan;
  for (size_t number = 1; number <= kNodes; ++number) {
    const rm::NodeReport report = report_of(number);
    options.hosts.push_back({.node = report.id, .rack = report.rack, .free = report.capacity});
  }
  options.master_token = manager_.master_token(application_);
  options.master_address = master.address;
  options.before_farewell = []() -> rt::Async<> { co_return; };
  options.dismissed = master.dismissed;
  options.left = master.left;
  return std::make_unique<cluster::yarn::YarnLink>(std::move(deps), std::move(options));
}

bool YarnModel::is_over() const {
  return manager_.applications().at(application_).state == rm::ApplicationState::Finished;
}

void YarnModel::master_failed() {
  if (!is_over()) {
    manager_.fail_master(application_, "the application master is gone");
  }
}

// ---- containers

void YarnModel::started(Node& node, const ContainerId& id, const Node::LaunchContext& context) {
  node.let_linger(id);
  const auto credentials = hadoop::decode_credentials(context.tokens());
  MUSTER_CHECK(credentials.has_value(), "the launch context has credentials");
  const hadoop::Secret* const order = credentials->find_secret(cluster::yarn::kLaunchSecret);
  MUSTER_CHECK(order != nullptr, "the credentials have a launch order");
  const auto launch = cluster::decode_agent_launch(order->reveal());
  MUSTER_CHECK(launch.has_value(), "the launch order can be read");
  around_.truth.live_containers.insert(name_of(id));
  // It was given back while the order to start it was on its way: a node is told to end anything
  // that the resource manager does not know as soon as the node reports it.
  around_.world.after(up_to(kNodeReports), [this, &node, id] {
    if (node.runs(id) && !application().held.contains(id)) {
      stopped(node, id);
    }
  });
  const Duration takes = up_to(milliseconds(500));
  around_.world.after(takes, [this, &node, id, order = launch->order] {
    if (node.runs(id) && !down_.contains(&node)) {
      around_.start_agent(order);
    }
  });
}

void YarnModel::stopped(Node& node, const ContainerId& id) {
  if (down_.contains(&node)) {
    return;  // Nobody hears it there.
  }
  const bool slow = around_.faults.strikes(Fault::SlowReleases);
  const Duration stub_ends = up_to(slow ? Duration(seconds(30)) : Duration(milliseconds(200)));
  const Duration leaves = up_to(kKeeperLeaves);
  around_.world.after(stub_ends, [this, &node, id, leaves] {
    node.finish(id, kTerminated, "Container killed by the ApplicationMaster.");
    around_.world.after(leaves, [this, id] { around_.end_agent(name_of(id), TrueEnd::Stopped); });
  });
}

void YarnModel::ended(const ContainerId& id, bool held) {
  around_.truth.live_containers.erase(name_of(id));
  if (held) {
    completed_.push_back(id);
  }
}

void YarnModel::agent_ended(const job::ContainerId& container) {
  const auto id = rm::parse_container_id(container.value);
  MUSTER_CHECK(id.has_value(), "containers have the names that YARN gave them");
  around_.world.after(up_to(seconds(2)), [this, id = *id] {
    for (const auto& node : nodes_) {
      node->finish(id, 0);
    }
  });
}

std::vector<YarnModel::ContainerId> YarnModel::held_on(const Node& node) {
  std::vector<ContainerId> found;
  for (const auto& [id, grant] : application().held) {
    if (grant.node_id().host() == node.id().host) {
      found.push_back(id);
    }
  }
  return found;
}

std::vector<std::pair<YarnModel::Node*, YarnModel::ContainerId>> YarnModel::running() {
  std::vector<std::pair<Node*, ContainerId>> found;
  for (const auto& node : nodes_) {
    for (const auto& [id, kept] : node->containers()) {
      if (!kept.ended) {
        found.emplace_back(node.get(), id);
      }
    }
  }
  return found;
}

// ---- faults

Duration YarnModel::up_to(Duration most) {
  return around_.world.random().between(Duration(milliseconds(1)), most);
}

void YarnModel::disturb_later() {
  around_.world.after(
      around_.world.random().between(Duration(milliseconds(500)), Duration(milliseconds(3500))),
      [this] { disturb(); });
}

void YarnModel::disturb() {
  disturb_manager();
  disturb_answers();
  disturb_nodes();
  disturb_containers();
  disturb_later();
}

void YarnModel::away(testing::FakeService& service, Duration at_most) {
  service.set_reachable(false);
  around_.world.after(up_to(at_most), [this, &service] {
    const bool down =
        std::ranges::any_of(down_, [&](const Node* node) { return node == &service; });
    service.set_reachable(!down);
  });
}

void YarnModel::disturb_manager() {
  Random& random = around_.world.random();
  if (around_.faults.strikes(Fault::ManagerAway)) {
    away(manager_.master_side(), seconds(40));
  }
  if (around_.faults.strikes(Fault::ManagerFailsOver)) {
    away(manager_.master_side(), seconds(10));
    for (const auto& node : nodes_) {
      for (const ContainerId& id : held_on(*node)) {
        if (!node->containers().contains(id)) {
          paper_.insert(id);
          around_.truth.origin_containers.insert(name_of(id));
        }
      }
    }
    manager_.restart();
  }
  if (around_.faults.strikes(Fault::TokensRoll) && !application().rolling) {
    manager_.roll_token(application_);
    around_.world.after(seconds(60), [this] { manager_.activate_token(application_); });
  }
  if (around_.faults.strikes(Fault::NeverGranted)) {
    manager_.hold_grants(true);
    around_.world.after(up_to(seconds(20)), [this] { manager_.hold_grants(false); });
  }
  manager_.set_grant_delay(around_.faults.strikes(Fault::ScarceCluster) ? up_to(seconds(10))
                                                                        : Duration::zero());
  if (around_.faults.strikes(Fault::DoubledGrants)) {
    if (random.chance(50)) {
      manager_.repeat_next_grants();
    } else {
      manager_.grant_unasked(application_,
                             rm::AllocationId(static_cast<int64_t>(1 + random.below(6))));
    }
  }
  if (around_.faults.strikes(Fault::DoubledFacts) && !completed_.empty()) {
    manager_.repeat_completion(completed_[random.below(completed_.size())]);
  }
}

void YarnModel::disturb_answers() {
  Random& random = around_.world.random();
  testing::FakeService& masters = manager_.master_side();
  if (around_.faults.strikes(Fault::AnswersLost)) {
    masters.lose_next_reply("allocate");
  }
  if (around_.faults.strikes(Fault::AnswersLost)) {
    masters.lose_next_reply(random.chance(50) ? "registerApplicationMaster"
                                              : "finishApplicationMaster");
  }
  if (around_.faults.strikes(Fault::AnswersLost)) {
    Node& node = *nodes_[random.below(nodes_.size())];
    node.lose_next_reply(random.chance(50) ? "startContainers" : "stopContainers");
  }
  if (around_.faults.strikes(Fault::RefusedRequests)) {
    const bool never = random.chance(3);
    around_.truth.refused_for_good = around_.truth.refused_for_good || never;
    masters.throw_next(
        "allocate",
        never ? "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException"
              : "java.io.IOException",
        never ? "Invalid resource request! Cannot allocate containers as requested resource is "
                "greater than maximum allowed allocation."
              : "the state store is busy");
  }
}

void YarnModel::disturb_nodes() {
  Node& node = *nodes_[around_.world.random().below(nodes_.size())];
  if (down_.contains(&node)) {
    return;
  }
  if (around_.faults.strikes(Fault::NodeAway)) {
    away(node, seconds(40));
  }
  if (around_.faults.strikes(Fault::HostDies)) {
    lose_node(node, false);
  } else if (around_.faults.strikes(Fault::HostIsolated)) {
    lose_node(node, true);
  }
}

void YarnModel::disturb_containers() {
  Random& random = around_.world.random();
  const auto alive = running();
  if (alive.empty()) {
    return;
  }
  const auto [node, id] = alive[random.below(alive.size())];
  if (down_.contains(node)) {
    return;
  }
  if (around_.faults.strikes(Fault::AgentDies)) {
    around_.truth.origin_containers.insert(name_of(id));
    around_.end_agent(name_of(id), TrueEnd::Origin);
    around_.world.after(up_to(seconds(2)), [this, node, id] {
      node->finish(id, kKilled);
      // It may have been on its way up when it was struck.
      around_.end_agent(name_of(id), TrueEnd::Origin);
    });
  } else if (around_.faults.strikes(Fault::Preemption)) {
    const Duration in = up_to(seconds(5));
    if (random.chance(70)) {
      manager_.warn(application_, {id}, random.chance(50));
    }
    around_.world.after(in, [this, node, id] {
      if (node->runs(id) && !down_.contains(node)) {
        around_.truth.origin_containers.insert(name_of(id));
        around_.end_agent(name_of(id), TrueEnd::Origin);
        manager_.take(id);
        node->finish(id, kKilled);
      }
    });
  }
}

void YarnModel::lose_node(Node& node, bool lives_on) {
  down_.insert(&node);
  node.set_reachable(false);
  const job::HostName host(node.id().host);
  const Duration notice =
      around_.world.random().between(Duration(seconds(1)), Duration(seconds(15)));
  const Duration alone = notice + up_to(seconds(25));
  if (!lives_on) {
    around_.host_dies(host);
  }
  for (const auto& [id, kept] : node.containers()) {
    if (kept.ended) {
      continue;
    }
    const job::ContainerId container = name_of(id);
    lose_with_host(around_, container, {.lives_on = lives_on, .alone = alone});
    around_.world.after(notice,
                        [this, container] { around_.truth.live_containers.erase(container); });
  }
  around_.world.after(notice, [this, &node] {
    // Including those that were granted there and never started.
    for (const ContainerId& id : held_on(node)) {
      around_.truth.origin_containers.insert(name_of(id));
    }
    manager_.lose(node.id());
  });
  around_.world.after(notice + seconds(30), [this, &node] {
    down_.erase(&node);
    node.set_reachable(true);
    manager_.report_node(node.id(), rm::NodeState::Running);
  });
}

}  // namespace muster::sim

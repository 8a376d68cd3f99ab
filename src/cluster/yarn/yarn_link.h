#pragma once

#include "base/log.h"
#include "cluster/link.h"
#include "cluster/yarn/beat_rule.h"
#include "cluster/yarn/role_placement.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/staged_file.h"
#include "hadoop/yarn/application_master.h"
#include "hadoop/yarn/container_manager.h"
#include "hadoop/yarn/held_token.h"
#include "hadoop/yarn/node_connections.h"
#include "job/plan.h"
#include "net/resolver.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

struct YarnLinkOptions {
  const job::Plan* plan = nullptr;  ///< Outlives the link.
  std::vector<StagedFile> files;    ///< For every container.
  hadoop::Token master_token;       ///< Of this attempt of the application master.
  /// Where the master listens, "host:port"; asked when the link starts.
  std::function<std::string()> master_address;
  /// Awaited after the job's end and before the cluster hears of it: what must be written first.
  std::function<rt::Async<>()> before_farewell;
  /// The cluster says that this attempt is over: another master is in charge, or the application
  /// was killed. Called once, on the loop; the process must end without a word.
  std::function<void()> dismissed;
  /// The cluster has heard of the job's end, or could not be told. Called once, on the loop.
  std::function<void()> left;
};

/// The master's line to YARN, as its application master. A request is an ask under its own
/// allocation; the launch order travels in the container's credentials. Containers outlive the
/// master's attempt, and the next one takes them over. Lives on the loop's thread.
class YarnLink final : public Link {
 public:
  YarnLink(Session& session, log::Sink& log, YarnLinkOptions options);
  ~YarnLink() override;

  /// Errors: the configuration's. All else comes later: a resource manager that is away is waited
  /// for.
  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const LaunchOrder& order) override;
  void release(const job::ContainerId& container) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override;
  [[nodiscard]] std::string waits_for() const override;
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

 private:
  struct Container {
    hadoop::yarn::Grant grant;
    job::RoleIndex role;  ///< Known of those that this master was granted.
    bool launched = false;
    bool released = false;
    bool ended = false;
  };

  [[nodiscard]] rt::Async<> serve();
  [[nodiscard]] rt::Async<bool> register_self();
  [[nodiscard]] rt::Async<> pause();
  [[nodiscard]] rt::Async<> start_agent(LaunchOrder order);
  [[nodiscard]] rt::Async<Status> try_start(LaunchOrder order, hadoop::yarn::Grant grant);
  [[nodiscard]] rt::Async<> farewell(job::Outcome outcome, std::function<void()> done);
  [[nodiscard]] hadoop::yarn::LaunchContext launch_context(const LaunchOrder& order,
                                                           const hadoop::yarn::Grant& grant,
                                                           const std::string& listen_host) const;

  void ask(const job::RequestContainer& request);
  void avoid(const std::vector<job::HostName>& hosts);
  void take(const hadoop::yarn::Registration& registration);
  void take(const hadoop::yarn::Heartbeat& heartbeat);
  void take_granted(const hadoop::yarn::Grant& grant);
  void take_ended(const hadoop::yarn::ContainerStatus& status);
  void take_rejected(const hadoop::yarn::RejectedRequest& rejected);
  void take_nodes(const std::vector<hadoop::yarn::NodeReport>& nodes);
  void take_headroom(const hadoop::yarn::AllocateAnswer& answer);
  void take_preemption(const hadoop::yarn::Preemption& preemption);
  void adopt(const hadoop::yarn::Grant& grant);
  void trouble(const Error& error);
  void refuse_all(const Error& error);
  void changed();
  void tell(job::Fact fact);
  [[nodiscard]] job::HostName host_of(const hadoop::yarn::NodeId& node) const;
  [[nodiscard]] std::string constraint_of(job::RoleIndex role) const;

  Session& session_;
  rt::IoLoop& loop_;
  log::Logger log_;
  YarnLinkOptions options_;
  OnFact on_fact_;
  std::map<std::string, RolePlacement> placements_;  ///< By role.
  bool ports_in_names_ = false;  ///< Nodes are called host:port: several share a host.
  Duration preemption_grace_{};
  net::Resolver resolver_;
  hadoop::yarn::HeldToken token_;
  std::unique_ptr<hadoop::rpc::Proxy> manager_;
  std::unique_ptr<hadoop::yarn::ApplicationMaster> master_;
  std::unique_ptr<hadoop::yarn::NodeConnections> nodes_;
  std::unique_ptr<hadoop::yarn::ContainerManager> containers_api_;
  std::optional<hadoop::yarn::Registration> registered_;
  std::set<job::ContainerId> known_;          ///< Of earlier masters, until the registration.
  std::vector<job::RequestContainer> early_;  ///< Asked before the registration.
  std::set<job::ContainerId> early_released_;
  std::map<hadoop::yarn::AllocationId, job::RequestContainer> open_;
  std::map<job::ContainerId, Container> containers_;
  std::map<hadoop::yarn::ContainerId, job::ContainerId> names_;
  std::set<hadoop::yarn::ContainerId> warned_;
  job::HeadroomReported headroom_;
  BeatRule rule_;
  rt::TimerId timer_{};
  rt::Event due_;
  rt::Event served_;  ///< The line makes no more calls of its own.
  bool leaving_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::cluster::yarn

#pragma once

#include "base/log.h"
#include "cluster/link.h"
#include "cluster/yarn/link/beat_timer.h"
#include "cluster/yarn/link/container_launcher.h"
#include "cluster/yarn/link/held_containers.h"
#include "cluster/yarn/link/host_spread.h"
#include "cluster/yarn/link/link_deps.h"
#include "cluster/yarn/link/open_requests.h"
#include "cluster/yarn/staging/host_room.h"
#include "cluster/yarn/staging/staged_file.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/application_master.h"
#include "hadoop/yarn/held_token.h"
#include "job/plan.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

struct YarnLinkOptions {
  const job::Plan* plan = nullptr;  ///< Outlives the link.
  std::vector<StagedFile> files;    ///< For every container.
  std::vector<HostRoom> hosts;      ///< Over which containers are spread; may be none.
  hadoop::Token master_token;       ///< Of this attempt of the application master.
  /// Where the master listens, "host:port"; asked when the link starts.
  std::function<std::string()> master_address;
  /// Awaited after the job's end and before the cluster learns of it, for whatever must be written
  /// first.
  std::function<rt::Async<>()> before_farewell;
  /// The cluster says that this attempt has ended: another master is in charge, or the application
  /// was killed. Called once, on the loop; the process must end silently.
  std::function<void()> dismissed;
  /// The cluster has learned of the job's end, or could not be told. Called once, on the loop.
  std::function<void()> left;
};

/// The master's link to YARN, as its application master: registers, sends heartbeats, passes the
/// replies to OpenRequests and HeldContainers, and unregisters. Containers outlive the master's
/// attempt, and the next one takes them over. Lives on the loop's thread.
class YarnLink final : public Link {
 public:
  YarnLink(LinkDeps deps, YarnLinkOptions options);

  /// Fails only if the configuration is wrong; a resource manager that is away is waited for
  /// afterwards.
  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const LaunchOrder& order) override;
  void release(const job::ContainerId& container, Confirm confirm) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override;
  [[nodiscard]] std::string waits_for() const override;
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

 private:
  [[nodiscard]] rt::Async<> serve();
  [[nodiscard]] rt::Async<bool> register_self();
  [[nodiscard]] rt::Async<> start_agent(LaunchOrder order, HeldContainers::Launch launch);
  [[nodiscard]] rt::Async<> farewell(job::Outcome outcome, std::function<void()> done);
  [[nodiscard]] rt::Async<> end_at_node(hadoop::yarn::Grant grant);
  [[nodiscard]] rt::Async<> deliver(job::Fact fact);
  [[nodiscard]] rt::Async<> deliver_late(job::Fact fact);

  void take(const hadoop::yarn::Registration& registration);
  void take(const hadoop::yarn::Heartbeat& heartbeat);
  void take_granted(const hadoop::yarn::Grant& grant);
  void take_kept(const std::vector<hadoop::yarn::Grant>& grants);
  void take_nodes(const std::vector<hadoop::yarn::NodeReport>& nodes);
  void take_trouble(const Error& error);
  /// Delivers facts to the master in separate turns of the loop.
  void tell(job::Fact fact) { scope_.spawn(deliver(std::move(fact))); }

  LinkDeps deps_;
  log::Logger log_;
  YarnLinkOptions options_;
  OnFact on_fact_;
  hadoop::yarn::HeldToken token_;
  std::unique_ptr<hadoop::rpc::Proxy> manager_;
  // These five exist once the link has started.
  std::optional<hadoop::yarn::ApplicationMaster> master_;
  std::optional<HostSpread> hosts_;
  std::optional<OpenRequests> requests_;
  std::optional<HeldContainers> containers_;
  std::optional<ContainerLauncher> launcher_;
  BeatTimer beats_;
  rt::Event served_;  ///< The line makes no more calls of its own.
  bool leaving_ = false;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::cluster::yarn

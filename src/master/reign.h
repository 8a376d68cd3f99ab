#pragma once

#include "base/log.h"
#include "control/transport.h"
#include "eventlog/status.h"
#include "master/agent_dialer.h"
#include "master/agents.h"
#include "master/clients.h"
#include "master/commit_grants.h"
#include "master/deadlines.h"
#include "master/decider.h"
#include "master/deps.h"
#include "master/early_output.h"
#include "master/ended_containers.h"
#include "master/ending.h"
#include "master/liveness_driver.h"
#include "master/opening.h"
#include "master/performer.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::master {

/// One master's time in charge of its job: puts the parts together and carries what happens from
/// one to the other. Made once the log is open; ends with the job, or when a newer master is in
/// charge.
class Reign {
 public:
  using Ended = std::function<void(const MasterEnd&)>;

  Reign(const MasterDeps& deps, const MasterOptions& options, Opened opened, Ended ended);
  ~Reign();
  Reign(const Reign&) = delete;
  Reign& operator=(const Reign&) = delete;

  /// Listens, publishes the address, opens the link and enters the first fact.
  Status begin();
  void stop(std::string by);
  [[nodiscard]] const std::string& address() const { return listener_->address(); }
  [[nodiscard]] const job::Machine& machine() const { return decider_.machine(); }
  [[nodiscard]] std::string status() const;
  void follow_output(bool on);
  void audience_served() { ending_.client_left(); }

 private:
  // What comes in.
  void on_link_fact(job::Fact fact);
  void on_channel(std::unique_ptr<control::Channel> channel);
  void on_agent(const wire::AgentHello& hello);
  void on_agent_frame(const job::ContainerId& container, wire::AgentFrame& frame);
  void on_agent_fact(const job::ContainerId& container, job::Fact fact);
  void on_agent_closed(const job::ContainerId& container, bool said_hello);
  void on_agent_dialled(std::unique_ptr<control::Channel> channel);
  void on_unreachable(const job::ContainerId& container);

  // What goes out.
  void on_released(const Decider::Released& released);
  void reconcile();
  void call_agent(const job::Container& container);
  void write_summary();
  [[nodiscard]] std::shared_ptr<const std::string> agent_welcome();
  [[nodiscard]] wire::ClientWelcome client_welcome() const;
  [[nodiscard]] cluster::LaunchOrder launch_order(const job::ContainerId& container) const;
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const;
  [[nodiscard]] eventlog::StatusContext status_context() const;

  void set_follow();
  [[nodiscard]] std::vector<wire::Output> take_early_output();
  void tell_audience();

  void check_fence();
  void fenced(job::Epoch by);
  bool outranked(job::Epoch by);
  void end(MasterEnd end);

  [[nodiscard]] const job::Container* find_container(const job::ContainerId& container) const;
  [[nodiscard]] bool runs_there(const job::ContainerId& container, job::AttemptId attempt) const;
  [[nodiscard]] Decider::Handlers decider_handlers();
  [[nodiscard]] Agents::Handlers agent_handlers();
  [[nodiscard]] Clients::Handlers client_handlers();
  [[nodiscard]] Ending::Steps ending_steps();
  [[nodiscard]] Performer::Parts performer_parts();

  MasterDeps deps_;
  const MasterOptions& options_;
  log::Logger log_;
  Ended ended_;
  job::Epoch epoch_;
  std::string plan_json_;
  uint64_t seed_ = 0;
  WallTime started_{};
  std::shared_ptr<const std::string> agent_welcome_;  ///< Encoded once: it carries the whole spec.
  bool first_start_ = true;
  bool over_ = false;
  bool clients_follow_output_ = false;
  bool audience_follows_output_ = false;
  EarlyOutput early_output_;
  rt::TimerId early_output_timer_;
  // The order of destruction matters: those who call back go before those they call.
  Decider decider_;
  Deadlines deadlines_;
  LivenessDriver liveness_;
  EndedContainers ended_containers_;
  Agents agents_;
  Clients clients_;
  CommitGrants grants_;
  AgentDialer dialer_;
  Ending ending_;
  Performer performer_;
  std::unique_ptr<control::Listener> listener_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::master

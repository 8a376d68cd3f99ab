#pragma once

#include "base/log.h"
#include "control/transport.h"
#include "master/agents/admission.h"
#include "master/agents/agent_dialer.h"
#include "master/agents/agents.h"
#include "master/agents/commit_grants.h"
#include "master/agents/ended_containers.h"
#include "master/agents/fence.h"
#include "master/agents/liveness_driver.h"
#include "master/decider.h"
#include "master/deps.h"
#include "verdict/classifier.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::master {

/// Everything that concerns agents: turns what they say, and what their silence means, into facts;
/// sends orders and views to them. Finds the agents of an earlier master again.
class AgentSupervisor {
 public:
  struct Deps {
    const MasterDeps& master;
    const MasterOptions& options;
    Decider& decider;
    Admission& admission;
    Fence& fence;
  };
  struct Handlers {
    std::function<void(const wire::Output& piece)> output;
    std::function<void(const job::ContainerId& container,
                       const std::vector<wire::Samples>& samples)>
        samples;
    std::function<void(const job::ContainerId& container, wire::StreamFrame&& frame)> stream;
    /// The last connection of an agent is gone.
    std::function<void(const job::ContainerId& container)> gone;
  };

  AgentSupervisor(const Deps& deps, Handlers handlers);
  AgentSupervisor(const AgentSupervisor&) = delete;
  AgentSupervisor& operator=(const AgentSupervisor&) = delete;

  // What comes in.
  /// An agent has connected.
  void accept(std::unique_ptr<control::Channel> channel) {
    agents_.accept(std::move(channel), false);
  }
  /// The cluster says that a container has ended.
  void container_ended(job::ContainerEnded ended);
  /// A fact is in the log.
  void released(uint64_t index) { grants_.released(index); }

  // What goes out.
  /// Dials the agents of an earlier master that have not connected on their own.
  void call_agents();
  void order(const job::ContainerId& container, const job::Action& action) {
    agents_.order(container, action);
  }
  /// The container is given back: its agent is told to end, and is no longer watched.
  void release(const job::ContainerId& container);
  void send_view(const std::shared_ptr<const std::string>& view) { agents_.send_to_all(view); }
  void set_follow(const wire::FollowOutput& follow) { agents_.set_follow(follow); }
  void send_stream(const job::ContainerId& container, wire::StreamFrame frame) {
    agents_.send(container, std::move(frame));
  }
  [[nodiscard]] bool connected(const job::ContainerId& container) const {
    return agents_.connected(container);
  }
  /// The job has ended.
  void dismiss_all() { agents_.dismiss_all("the job has ended"); }
  void close_all() { agents_.close_all(); }

 private:
  void on_hello(const wire::AgentHello& hello);
  void on_frame(const job::ContainerId& container, wire::AgentFrame& frame);
  void on(const job::ContainerId& container, wire::Report& report);
  void on(const job::ContainerId& container, wire::AgentFact& fact);
  void on(const job::ContainerId& container, const wire::CommitAsked& asked);
  void on(const job::ContainerId& container, const wire::Output& output);
  void on(const job::ContainerId& container, wire::StreamFrame& frame) {
    handlers_.stream(container, std::move(frame));
  }
  void on(const job::ContainerId& container, const wire::Beat& beat) {
    handlers_.samples(container, beat.samples);
  }
  void on(const job::ContainerId&, const wire::AgentHello&) {}
  void on_closed(const job::ContainerId& container, bool said_hello);
  void on_dialled(std::unique_ptr<control::Channel> channel);
  void on_unreachable(const job::ContainerId& container);
  void call(const job::Container& container);
  [[nodiscard]] const job::State& state() const { return deps_.decider.machine().state(); }

  Deps deps_;
  log::Logger log_;
  Handlers handlers_;
  LivenessDriver liveness_;
  verdict::Classifier classifier_;
  EndedContainers ended_containers_;
  Agents agents_;
  CommitGrants grants_;
  AgentDialer dialer_;
};

}  // namespace muster::master

#pragma once

#include "master/clients/audience.h"
#include "master/clients/clients.h"
#include "master/clients/early_output.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <functional>
#include <vector>

namespace muster::master {

/// The output of tasks on its way from agents to those that follow it: clients, the audience and,
/// for a while, whoever started the job and is about to follow it. Agents send output only while
/// somebody follows.
class OutputRelay {
 public:
  struct Deps {
    rt::Loop& loop;
    Clients& clients;
    Audience* audience;  ///< None if the job has no page.
    /// Tells all agents, including those that connect later, whether to send output.
    std::function<void(const wire::FollowOutput&)> set_follow;
  };

  /// `awaited`: somebody is about to follow the job.
  OutputRelay(Deps deps, bool awaited) : deps_(std::move(deps)), early_(awaited) {}
  ~OutputRelay() { deps_.loop.cancel(early_timer_); }
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;

  /// Begins to gather what tasks write before the person who started the job follows it.
  void begin();
  /// An agent sent a piece.
  void pass(const wire::Output& piece);
  /// Sets whether any client follows output; called again for each further one. The last lines of
  /// every task come first.
  void clients_follow(bool on);
  /// The same for the audience. When turned on, the last lines of every task come first.
  void audience_follows(bool on);
  /// Returns what the first follower has missed and the agents of finished tasks can no longer
  /// send; nothing for later followers.
  [[nodiscard]] std::vector<wire::Output> take_early();

 private:
  /// `again`: a new follower needs the last lines of every task.
  void tell_agents(bool again);

  Deps deps_;
  bool clients_follow_ = false;
  bool audience_follows_ = false;
  EarlyOutput early_;
  rt::TimerId early_timer_;
};

}  // namespace muster::master

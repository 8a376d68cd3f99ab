#pragma once

#include "master/clients/audience.h"
#include "master/clients/clients.h"
#include "master/clients/early_output.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <functional>
#include <vector>

namespace muster::master {

/// The output of tasks on its way from agents to those who follow it: clients, the audience and,
/// for a while, whoever started the job and is about to follow it. Agents send output only while
/// somebody does.
class OutputRelay {
 public:
  struct Deps {
    rt::Loop& loop;
    Clients& clients;
    Audience* audience;  ///< None where the job has no page.
    /// Tells all agents, also those that come later, whether to send output.
    std::function<void(const wire::FollowOutput&)> set_follow;
  };

  /// `awaited`: somebody is about to follow the job.
  OutputRelay(Deps deps, bool awaited) : deps_(std::move(deps)), early_(awaited) {}
  ~OutputRelay() { deps_.loop.cancel(early_timer_); }
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;

  /// Begins to gather what tasks write before the one who started the job follows it.
  void begin();
  /// An agent sent a piece.
  void pass(const wire::Output& piece);
  /// Whether any client follows output now; again for every further one. The last lines of every
  /// task come first.
  void clients_follow(bool on);
  /// Whether the audience does; also again. Turned on, the last lines of every task come first.
  void audience_follows(bool on);
  /// What the first follower has missed and the agents of tasks that are over cannot send any more;
  /// nothing for later ones.
  [[nodiscard]] std::vector<wire::Output> take_early();

 private:
  /// `again`: somebody has come who needs the last lines of every task.
  void tell_agents(bool again);

  Deps deps_;
  bool clients_follow_ = false;
  bool audience_follows_ = false;
  EarlyOutput early_;
  rt::TimerId early_timer_;
};

}  // namespace muster::master

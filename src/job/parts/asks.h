#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/parts/ask_deadlines.h"
#include "job/parts/ask_hosts.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::job {

class Gangs;
class Places;

/// Where a task's next attempt goes.
enum class Placement : uint8_t { SameSlot, NewContainer };

/// Which tasks want an attempt, and the resulting requests for containers: made, answered,
/// withdrawn, refused, and made anew if they leave out too many hosts.
class Asks {
 public:
  struct Wish {
    bool wanted = false;  ///< An attempt is to be placed as soon as nothing prevents it.
    Placement placement = Placement::NewContainer;
    DeadlineId backoff;  ///< It waits until this timer has passed; 0: for nothing.
    RequestId request;   ///< The ask it is part of; 0: none.
  };

  /// Writes the open asks.
  Asks(const Deps& deps, Gangs& gangs, Places& places, std::map<RequestId, Request>& requests);

  [[nodiscard]] const Wish& of(TaskId id) const { return wishes_[id]; }
  void want(TaskId id, Placement placement);
  /// An attempt has been placed.
  void placed(TaskId id);
  /// The task wants nothing any more; its request is withdrawn.
  void withdraw(TaskId id);
  /// The task waits for this timer; 0: for none.
  void wait_for(TaskId id, DeadlineId timer) { wishes_[id].backoff = timer; }
  /// The timer has passed.
  void waited(DeadlineId timer, std::span<const TaskId> tasks);
  /// Cancels the request that the task is part of. Tasks that still want an attempt ask anew.
  void cancel(TaskId id);
  /// The job stops: no task wants anything, and every request is cancelled.
  void cancel_all();

  // Tasks to look at, once the fact is taken in.
  void poke(TaskId id) { pokes_.push_back(id); }
  void poke(std::span<const TaskId> tasks);
  [[nodiscard]] std::vector<TaskId> take_pokes() { return std::exchange(pokes_, {}); }
  enum class Step : uint8_t {
    Nothing,       ///< It wants nothing, or something stands in the way.
    Place,         ///< An attempt can be placed where the last one was.
    AskContainer,  ///< A container is to be asked for.
  };
  /// Returns what has to be done for the task now.
  [[nodiscard]] Step next_step(TaskId id) const;
  /// Returns whether another task that shared its container also leaves it but has not ended yet:
  /// they ask together, and stay together.
  [[nodiscard]] bool waits_for_mates(TaskId id) const;
  /// Requests containers for these tasks: those of one role share them as far as the role allows.
  void ask_for(std::vector<TaskId> tasks);

  // Answers.
  /// Takes out a request that the cluster has answered; nullopt if it is not open.
  [[nodiscard]] std::optional<Request> answered(RequestId id);
  /// A container was granted and accepted.
  void accepted(RoleIndex role);
  /// Puts the tasks of an answered request back into their earlier state.
  void put_back(const Request& request);
  /// A refusal that may pass: the request is made again after a while.
  void ask_later(const Request& request, const std::string& reason);
  void queue_passed() { deadlines_.queue_passed(); }
  void host_return_passed(std::span<const TaskId> asking);
  void pardon_passed();
  /// For a new master: every open request is made again, every cancelled one cancelled again.
  void tell_again() const;

  // Hosts.
  void saw(const HostName& host) { hosts_.saw(host); }
  void avoid(const HostName& host, Harm harm) { hosts_.note(host, harm); }
  /// Takes the cluster's report on a host.
  void report(const HostReported& reported);
  /// Takes how many hosts the cluster has.
  void cluster_has(uint32_t hosts);

  /// How many requests there ever were.
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  void make(std::span<const TaskId> tasks);
  [[nodiscard]] RequestContainer action_of(const Request& request) const;
  /// Cancels the requests of these tasks, which then ask again.
  void make_anew(std::span<const TaskId> asking);

  const Plan& plan_;
  Turn& turn_;
  const Lives& lives_;
  Chronicle& chronicle_;
  Gangs& gangs_;
  Places& places_;
  std::map<RequestId, Request>& requests_;
  PerTask<Wish> wishes_;
  AskHosts hosts_;
  AskDeadlines deadlines_;
  uint32_t count_ = 0;
  std::vector<TaskId> pokes_;
};

}  // namespace muster::job

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

/// Which tasks want an attempt, and the asks for containers that follow: made, answered, withdrawn,
/// refused, and made anew where they leave out too many hosts.
class Asks {
 public:
  struct Wish {
    bool wanted = false;  ///< An attempt is to be placed as soon as nothing stands in the way.
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
  /// Nothing is wanted for the task any more; its ask is withdrawn.
  void withdraw(TaskId id);
  /// The task waits for this timer; 0: for none.
  void wait_for(TaskId id, DeadlineId timer) { wishes_[id].backoff = timer; }
  /// The timer has passed.
  void waited(DeadlineId timer, std::span<const TaskId> tasks);
  /// Cancels the ask that the task is part of. Whoever still wants an attempt asks anew.
  void cancel(TaskId id);
  /// The job stops: nobody wants anything, and every ask is cancelled.
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
  /// What is to be done for the task now.
  [[nodiscard]] Step next_step(TaskId id) const;
  /// Whether somebody who shared the task's container leaves it too, but has not ended yet: they
  /// ask together, and stay together.
  [[nodiscard]] bool waits_for_mates(TaskId id) const;
  /// Asks for containers for these tasks: those of one role share them as far as the role allows.
  void ask_for(std::vector<TaskId> tasks);

  // Answers.
  /// Takes out an ask that the cluster has answered; nullopt: it is not open.
  [[nodiscard]] std::optional<Request> answered(RequestId id);
  /// A container was granted and is taken.
  void accepted(RoleIndex role);
  /// The tasks of an answered ask are as they were before it.
  void put_back(const Request& request);
  /// A refusal that may pass: the ask is made again after a while.
  void ask_later(const Request& request, const std::string& reason);
  void queue_passed() { deadlines_.queue_passed(); }
  void host_return_passed(std::span<const TaskId> asking);
  void pardon_passed();
  /// A new master: every open ask is made again, every cancelled one cancelled.
  void tell_again() const;

  // Hosts.
  void saw(const HostName& host) { hosts_.saw(host); }
  void avoid(const HostName& host, Harm harm) { hosts_.note(host, harm); }
  /// What the cluster says of a host.
  void report(const HostReported& reported);
  /// How many hosts the cluster has.
  void cluster_has(uint32_t hosts);

  /// How many asks there ever were.
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  void make(std::span<const TaskId> tasks);
  [[nodiscard]] RequestContainer action_of(const Request& request) const;
  /// Cancels the asks of these tasks, who then ask again.
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

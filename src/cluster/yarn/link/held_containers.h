#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cluster/link.h"
#include "hadoop/configuration.h"
#include "hadoop/yarn/application_master.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::cluster::yarn {

/// The containers of the job, from grant to end, over all attempts of its master. What the cluster
/// reports about them becomes facts, each once.
class HeldContainers {
 public:
  /// All outlive this.
  struct Deps {
    hadoop::yarn::AskBook& book;
    log::Logger log;
    std::function<void(job::Fact)> tell;
    /// The same, when what the keeper ends after its stub is gone, too.
    std::function<void(job::Fact)> tell_late;
    /// Has the container's node kill it, and tries until see_gone() or while awaits_end().
    std::function<void(const hadoop::yarn::Grant&)> end_at_node;
  };
  /// What of the cluster's configuration counts here.
  struct Settings {
    bool ports_in_names = false;  ///< Nodes are called host:port: several share a host.
    Duration preemption_grace{};  ///< From the warning to the end.
  };
  [[nodiscard]] static Result<Settings> settings_of(const hadoop::Configuration& configuration);

  struct Launch {
    hadoop::yarn::Grant grant;
    job::RoleIndex role;
  };

  /// `known`: those of earlier masters, which the registration must show.
  HeldContainers(Deps deps, Settings settings, std::vector<job::ContainerId> known);

  /// Takes over what the cluster kept.
  void registered(const std::vector<hadoop::yarn::Grant>& kept);
  /// A heartbeat's ends have been told: what ended while there was no master was among those of the
  /// first. Whatever else the cluster did not keep, it took, which is told now. Repeating it does
  /// nothing.
  void heard();
  /// Takes a container of an earlier master over, or gives it back if that master's log does not
  /// know it. Repeating it does nothing.
  void adopt(const hadoop::yarn::Grant& grant);
  void granted(const hadoop::yarn::Grant& grant, const job::RequestContainer& request);
  void ended(const hadoop::yarn::ContainerStatus& status);
  void preempted(const std::vector<hadoop::yarn::ContainerId>& containers);

  /// What to start, once for each container; nothing if it was given back, or has ended.
  [[nodiscard]] std::optional<Launch> launch(const job::ContainerId& id);
  /// Gives a container back (Link::release). Repeating it does nothing. The resource manager's word
  /// that a released container is complete comes before its node has heard of it; so one whose end
  /// must be seen is killed at its node first, and given back only where that fails.
  void release(const job::ContainerId& id, Confirm confirm);
  /// Whether the container's end is to be seen, and has not been.
  [[nodiscard]] bool awaits_end(const hadoop::yarn::ContainerId& id) const;
  /// Its node cannot be asked to kill it: the resource manager is.
  void not_reached(const hadoop::yarn::ContainerId& id);
  /// Its node says that it is gone.
  void seen_gone(const hadoop::yarn::ContainerId& id);
  /// Link::known_dead.
  [[nodiscard]] bool known_dead(const job::ContainerId& id) const;
  [[nodiscard]] job::HostName host_of(const hadoop::yarn::NodeId& node) const;

 private:
  struct Container {
    hadoop::yarn::Grant grant;
    job::RoleIndex role;  ///< Known of those that this master was granted.
    bool launched = false;
    bool released = false;
    bool ended = false;
    bool unseen = false;   ///< Released, and its end is to be seen.
    bool dropped = false;  ///< The resource manager was told that it is given back.
    /// What that said of its end, which does not count while it is unseen.
    std::optional<hadoop::yarn::ContainerStatus> told = std::nullopt;
  };

  void drop(Container& container);
  void ended_between(const hadoop::yarn::ContainerStatus& status);
  void tell_end(const hadoop::yarn::ContainerStatus& status, bool released,
                const std::function<void(job::Fact)>& tell) const;

  Deps deps_;
  Settings settings_;
  bool registered_ = false;
  std::set<job::ContainerId> known_;  ///< Of earlier masters, until they are accounted for.
  std::map<job::ContainerId, Confirm> early_released_;
  std::map<job::ContainerId, Container> containers_;
  std::map<hadoop::yarn::ContainerId, job::ContainerId> names_;
  std::set<hadoop::yarn::ContainerId> warned_;
};

}  // namespace muster::cluster::yarn

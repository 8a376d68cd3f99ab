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

/// The containers of the job, from grant to end, across all attempts of its master. What the
/// cluster reports about them becomes facts, each once.
class HeldContainers {
 public:
  /// All must outlive this.
  struct Deps {
    hadoop::yarn::AskBook& book;
    log::Logger log;
    std::function<void(job::Fact)> tell;
    /// The same, when what the keeper ends after its stub is gone, too.
    std::function<void(job::Fact)> tell_late;
    /// Has the container's node kill it, and retries until see_gone() or while awaits_end().
    std::function<void(const hadoop::yarn::Grant&)> end_at_node;
  };
  /// The part of the cluster's configuration that matters here.
  struct Settings {
    bool ports_in_names = false;  ///< Nodes are named host:port, so several may share a host.
    Duration preemption_grace{};  ///< From the warning to the end.
  };
  [[nodiscard]] static Result<Settings> settings_of(const hadoop::Configuration& configuration);

  struct Launch {
    hadoop::yarn::Grant grant;
    job::RoleIndex role;
  };

  /// `known`: those of earlier masters, which the registration must show.
  HeldContainers(Deps deps, Settings settings, std::vector<job::ContainerId> known);

  /// Adopts the containers that the cluster has kept.
  void registered(const std::vector<hadoop::yarn::Grant>& kept);
  /// A heartbeat's ends have been reported; those of the first include what ended while there was
  /// no master. Whatever else the cluster did not keep was taken by it, which is reported now.
  /// Repeating it does nothing.
  void heard();
  /// Takes a container of an earlier master over, or gives it back if that master's log does not
  /// know it. Repeating it does nothing.
  void adopt(const hadoop::yarn::Grant& grant);
  void granted(const hadoop::yarn::Grant& grant, const job::RequestContainer& request);
  void ended(const hadoop::yarn::ContainerStatus& status);
  void preempted(const std::vector<hadoop::yarn::ContainerId>& containers);

  /// Returns what to start, once for each container; nothing if it was given back or has ended.
  [[nodiscard]] std::optional<Launch> launch(const job::ContainerId& id);
  /// Gives a container back (Link::release). Repeating it does nothing. The resource manager
  /// declares a released container complete before its node has heard of it; so one whose end must
  /// be seen is killed at its node first, and given back only if that fails.
  void release(const job::ContainerId& id, Confirm confirm);
  /// Returns whether the container's end must be seen and has not been.
  [[nodiscard]] bool awaits_end(const hadoop::yarn::ContainerId& id) const;
  /// Its node cannot be asked to kill it, so the resource manager is.
  void not_reached(const hadoop::yarn::ContainerId& id);
  /// Its node says that it is gone.
  void seen_gone(const hadoop::yarn::ContainerId& id);
  /// Link::known_dead.
  [[nodiscard]] bool known_dead(const job::ContainerId& id) const;
  [[nodiscard]] job::HostName host_of(const hadoop::yarn::NodeId& node) const;

 private:
  struct Container {
    hadoop::yarn::Grant grant;
    job::RoleIndex role;  ///< Known for those granted to this master.
    bool launched = false;
    bool released = false;
    bool ended = false;
    bool unseen = false;   ///< Released, and its end must still be seen.
    bool dropped = false;  ///< Given back to the resource manager.
    /// What the resource manager said about its end, which does not count while it is unseen.
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

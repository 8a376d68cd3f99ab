#pragma once

#include "cluster/link.h"
#include "job/action.h"
#include "job/fact.h"
#include "sim/core/truth.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

/// A cluster as strict as a resource manager and as loose as a laptop: grants late, twice, after a
/// cancel, or never; takes containers and hosts away. Survives every master. Slots are hosts x
/// containers a host.
class ClusterModel {
 public:
  struct Around {
    World& world;
    Faults& faults;
    Truth& truth;
    std::function<void(const job::Fact&)> tell;
    /// A container's agent starts; the run makes an AgentModel.
    std::function<void(const job::ContainerId&, const job::HostName&)> start_agent;
    /// A container's processes end, for this reason.
    std::function<void(const job::ContainerId&, TrueEnd)> end_agent;
    /// A container was given back: its processes must be gone within this time.
    std::function<void(const job::ContainerId&, Duration)> wind_down;
    /// A host dies, and end_agent follows for each of its containers; nobody is told.
    std::function<void(const job::HostName&)> host_dies;
    /// Nobody can reach a container for a while, but it lives on.
    std::function<void(const job::ContainerId&, Duration)> isolate;
    /// A launch was requested of a container that was launched before: its agent may not know this
    /// master.
    std::function<void(const job::ContainerId&)> launched_again;
  };

  explicit ClusterModel(Around around);

  void request(const job::RequestContainer& request);
  void cancel(job::RequestId request);
  void launch(const job::ContainerId& container);
  /// `confirm` says whether its end is reported once nothing in it runs any more, or whenever the
  /// cluster likes.
  void release(const job::ContainerId& container, cluster::Confirm confirm);
  /// A new master compares books: reports the end of what is gone, and repeats grants that may have
  /// been missed.
  void reconcile();
  /// A container's agent ended by itself: the cluster notices after a while.
  void agent_ended(const job::ContainerId& container);

  /// Reports the end of a container again, if it is gone.
  void ask_about(const job::ContainerId& container);
  /// The job is over: everything is given back.
  void release_all();

  [[nodiscard]] bool known_gone(const job::ContainerId& container) const;

 private:
  struct Held {
    job::RequestId request;
    job::HostName host;
    bool launched = false;
    bool gone = false;
    bool noticed = false;  ///< Its end is known to the cluster.
    bool silent = false;   ///< And it is never reported.
    job::ContainerEnded end;
  };

  void tell_end(const Held& held);
  [[nodiscard]] Duration time_to_tell(Held& held, Duration lives, cluster::Confirm confirm);
  [[nodiscard]] bool tell_grants(job::RequestId request);
  void try_grant(job::RequestId request);
  void grant(job::RequestId request, const job::HostName& host);
  /// Makes a container and grants it to the request.
  job::ContainerId hold(job::RequestId request, const job::HostName& host);
  void end(const job::ContainerId& container, job::ContainerEndKind kind, Duration notice);
  void wait_for_better_times(job::RequestId request);
  void disturb();
  void disturb_later();
  void disturb_container(const job::ContainerId& container);
  void lose_host(const job::HostName& host, bool lives_on);
  [[nodiscard]] size_t in_use(const job::HostName& host) const;
  [[nodiscard]] std::vector<job::ContainerId> living() const;

  Around around_;
  uint32_t containers_ = 0;
  size_t slots_per_host_ = 0;
  std::vector<job::HostName> hosts_;
  std::set<job::HostName> down_;
  std::map<job::RequestId, job::RequestContainer> open_;
  std::map<job::ContainerId, Held> held_;
};

}  // namespace muster::sim

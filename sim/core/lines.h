#pragma once

#include "job/ids.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <map>

namespace muster::sim {

/// Returns how long a message of the cluster is under way that later ones overtake.
[[nodiscard]] Duration overtaken(Random& random);

/// The connections of the master in charge: one to each agent, one to the cluster. Each keeps the
/// order of what is sent on it. A broken one loses what is under way and everything sent before it
/// is dialled again; a cut one (a partition) holds back messages in one or both directions.
class Lines {
 public:
  Lines(World& world, Faults& faults) : world_(world), faults_(faults) {}

  /// Lets `arrive` happen at the master, as if sent now by the agent of `from`.
  void to_master(const job::ContainerId& from, World::Event arrive);
  /// Lets `arrive` happen at the agent of `to`.
  void to_agent(const job::ContainerId& to, World::Event arrive);
  /// The cluster's line never breaks: its client asks again until it has everything. It keeps the
  /// order of what is said, unless later messages overtake some.
  void from_cluster(World::Event arrive);

  /// A new connection is open; nothing from the old one arrives any more.
  void dialled(const job::ContainerId& agent);
  /// The connection is gone, and everything under way with it.
  void broke(const job::ContainerId& agent);
  /// Every agent's connection is gone, because their master is.
  void all_broke();
  [[nodiscard]] bool up(const job::ContainerId& agent) const;

  struct Directions {
    bool to_agent = true;
    bool to_master = true;
  };
  void cut(const job::ContainerId& agent, Duration lasts, Directions directions);
  /// The agent is never heard again, and the cluster does not know. Healing does not help.
  void silence(const job::ContainerId& agent);
  [[nodiscard]] bool silent(const job::ContainerId& agent) const;
  /// Returns until when the agent hears nothing; no connection can be made before then.
  [[nodiscard]] Time cut_until(const job::ContainerId& agent) const;
  /// Returns whether the agent's beats reach the master now.
  [[nodiscard]] bool heard(const job::ContainerId& agent) const;
  void heal();

  /// Returns how long one message takes.
  [[nodiscard]] Duration travel();

 private:
  struct Line {
    bool up = false;
    uint64_t number = 0;  ///< Counts the connections: what was sent on an older one is lost.
    Time agent_deaf_until{}, master_deaf_until{};
    Time last_to_agent{}, last_to_master{};
    bool silent = false;  ///< For ever.
  };
  void send(const job::ContainerId& agent, Time Line::* last, Time deaf_until, World::Event arrive);

  World& world_;
  Faults& faults_;
  std::map<job::ContainerId, Line> lines_;
  Time last_from_cluster_{};
};

}  // namespace muster::sim

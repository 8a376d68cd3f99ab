#pragma once

#include "base/time.h"
#include "job/failure.h"
#include "job/ids.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

/// Why an attempt really ended, as known to the world that ended it.
enum class TrueEnd : uint8_t {
  Success,
  Origin,   ///< By itself: its program, its agent, its container, its host.
  Victim,   ///< Because a peer went away.
  Stopped,  ///< Muster told it to.
};

/// One life of one process.
struct TrueAttempt {
  job::AttemptId id;
  job::Generation generation;
  job::ContainerId container;
  job::HostName host;
  Time started{};
  std::optional<Time> ended;
  TrueEnd end = TrueEnd::Success;
  job::Exit exit;
};

/// What really happened, kept by the models and read by the checkers. The machine never sees it.
struct Truth {
  std::vector<TrueAttempt> attempts;                   ///< In the order of their starts.
  std::map<job::AttemptId, size_t> newest;             ///< Index into `attempts`.
  std::set<job::ContainerId> live_containers;          ///< Granted and not gone.
  std::map<job::AttemptId, job::AttemptId> caused_by;  ///< For victims: who went away.
  std::set<job::AttemptId> origins;                    ///< Attempts whose end nobody else caused.
  /// Lost, cut off, preempted or killed by the world, or given back by a master that had lost its
  /// log.
  std::set<job::ContainerId> origin_containers;
  std::set<job::AttemptId> liars;  ///< Failed by themselves and said that they lost a peer.
  bool stop_asked = false;
  bool refused_for_good = false;
};

}  // namespace muster::sim

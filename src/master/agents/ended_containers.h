#pragma once

#include "job/fact.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <vector>

namespace muster::master {

/// Reconciles the two accounts of a container's end: its agent's and its cluster's. The cluster may
/// know of a dead process before the frames it sent have been read, and "exit 7" says more than
/// "the container ended"; so the cluster's news waits until the connection has been read.
/// Conversely, an agent that is told to end can only say so, while the cluster says why; so an
/// attempt that ends with its container waits for the cluster's word. Both waits are bounded, since
/// a host that went away says nothing more.
class EndedContainers {
 public:
  using Enter = std::function<void(job::Fact)>;

  /// `patience`: how long to wait for the cluster's word on a container.
  EndedContainers(rt::Loop& loop, Duration patience, Enter enter)
      : loop_(loop), patience_(patience), enter_(std::move(enter)) {}
  ~EndedContainers();
  EndedContainers(const EndedContainers&) = delete;
  EndedContainers& operator=(const EndedContainers&) = delete;

  /// `connected`: its agent's connection is still open.
  void ended(job::ContainerEnded fact, bool connected);
  /// An attempt has ended because its container was asked to.
  void ended_with(const job::ContainerId& container, job::AttemptEnded fact);
  /// The connection has been read to its end.
  void drained(const job::ContainerId& container);
  /// Returns whether attempts wait for the cluster's word on this container.
  [[nodiscard]] bool waits_for(const job::ContainerId& container) const {
    return attempts_.contains(container);
  }

 private:
  struct Held {
    job::ContainerEnded fact;
    rt::TimerId timer;
  };
  struct Attempts {
    std::vector<job::AttemptEnded> facts;
    rt::TimerId timer;
  };

  void enter(job::ContainerEnded fact);
  void enter_attempts(const job::ContainerId& container);

  rt::Loop& loop_;
  Duration patience_;
  Enter enter_;
  std::map<job::ContainerId, Held> held_;
  std::map<job::ContainerId, Attempts> attempts_;
};

}  // namespace muster::master

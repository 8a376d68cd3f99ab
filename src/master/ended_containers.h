#pragma once

#include "job/fact.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <memory>

namespace muster::master {

/// Holds the news of a container's end until its agent's last words are read. The cluster may know
/// of a dead process before the frames that it sent are read, and "exit 7" says more than "the
/// container ended". Bounded: a host that went away says nothing more.
class EndedContainers {
 public:
  using Enter = std::function<void(job::ContainerEnded)>;

  EndedContainers(rt::Loop& loop, Enter enter) : loop_(loop), enter_(std::move(enter)) {}
  ~EndedContainers();
  EndedContainers(const EndedContainers&) = delete;
  EndedContainers& operator=(const EndedContainers&) = delete;

  /// `connected`: its agent's connection is still open.
  void ended(job::ContainerEnded fact, bool connected);
  /// The connection has been read to its end.
  void drained(const job::ContainerId& container);

 private:
  struct Held {
    job::ContainerEnded fact;
    rt::TimerId timer;
  };
  rt::Loop& loop_;
  Enter enter_;
  std::map<job::ContainerId, Held> held_;
};

}  // namespace muster::master

#pragma once

#include "base/result.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/outcome.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::cluster {

/// What a new agent must know. Travels on the cluster's own secret channel, never on a command
/// line, in a task's environment or in a log.
struct LaunchOrder {
  job::ContainerId container;
  job::HostName host;
  job::JobId job;
  job::Epoch epoch;
  std::string master_address;  ///< "host:port"
  std::string agent_key_hex;   ///< This container's key (control::to_hex).
};

/// How to confirm the end of a container that is given back.
enum class Confirm : uint8_t {
  No,   ///< What ran there has reported its end, or nobody waits for it.
  Yes,  ///< Something may live on unseen, and its successor waits.
};

/// The master's connection to its cluster: performs the actions on containers and reports what
/// happens to them, as facts. One per master; lives on its loop's thread.
///
/// Every call is idempotent by id, returns at once and never fails: errors are reported as facts
/// (RequestRefused, LaunchFailed, ContainerEnded). Facts come on the loop's thread, never inside a
/// call into the link: ContainerGranted, RequestRefused, LaunchFailed, ContainerEnded,
/// HostReported, HeadroomReported, PreemptionNoticed, and StopAsked when the cluster itself asks
/// (resource manager kills the application).
class Link {
 public:
  using OnFact = std::function<void(job::Fact)>;

  virtual ~Link() = default;

  /// Opens the connection. `known`: the containers that an earlier master's log lists as not gone.
  /// The link takes them over, and reports ContainerEnded for those that no longer exist.
  virtual Status start(std::vector<job::ContainerId> known, OnFact on_fact) = 0;

  virtual void request(const job::RequestContainer& request) = 0;
  virtual void cancel(job::RequestId request) = 0;
  virtual void launch(const LaunchOrder& order) = 0;
  /// Releases the container and ends its processes. ContainerEnded follows unless it was already
  /// reported; with Confirm::Yes only when nothing of the container runs any more, as far as the
  /// cluster can see, however long that takes. Confirm::No after Yes ends that wait.
  virtual void release(const job::ContainerId& container, Confirm confirm) = 0;
  /// Compares its records with the cluster's, and reports ContainerEnded for what is gone.
  virtual void reconcile() = 0;
  /// Returns whether the agent of `container` is known to have ended (a closed connection then
  /// means lost at once).
  [[nodiscard]] virtual bool known_dead(const job::ContainerId& container) const = 0;
  /// Returns what the job waits for, in the cluster's own words ("2 g of memory on this machine:
  /// 14.1 g are in use by digits-7f3k2q"); "" if for nothing. Shown while requests are open.
  [[nodiscard]] virtual std::string waits_for() const = 0;
  /// The job has ended: unregisters and releases everything that is left; `done` is called once.
  virtual void finish(const job::Outcome& outcome, std::function<void()> done) = 0;
};

}  // namespace muster::cluster

#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/request.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace hadoop::yarn {
class AllocateRequest;
class AllocateResponse;
}  // namespace hadoop::yarn

namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

/// What is new in an answer, without repetitions and unwanted containers.
struct Harvest {
  std::vector<Grant> granted;              ///< Each matches an open request.
  std::vector<ContainerStatus> completed;  ///< Each container once.
  std::vector<RejectedRequest> rejected;   ///< Placed requests; the rejection ends them.
};

/// The application master's side of the table that the resource manager keeps for it: what is still
/// wanted, given back, avoided. Uses no clocks or connections.
///
/// Its changes go out with the next heartbeat. A heartbeat whose answer was lost is sent again word
/// for word, since the resource manager then returns its stored answer without reading the request;
/// what changed meanwhile waits for the next one. After resync() everything is sent again.
class AskBook {
 public:
  AskBook();
  AskBook(AskBook&&) = delete;
  ~AskBook();

  /// Requests `request.count` containers. For a known allocation only the count and the hosts may
  /// differ; for another shape, withdraw it and ask under a new allocation.
  void ask(ContainerRequest request);
  /// Withdraws a request. What was granted meanwhile is given back. Unknown ids are ignored.
  void withdraw(AllocationId allocation);
  /// Like ask(), for clusters with a placement handler. It is sent in a heartbeat without changes
  /// to ordinary requests: if a heartbeat has both, resource managers read only the ordinary ones.
  void ask_placed(SchedulingRequest request);
  /// Gives a container back. Does nothing if it was given back before or has ended.
  void release(const ContainerId& container);
  /// Sets the hosts (named as they registered) that get no containers from now on; all others may
  /// get some again.
  void avoid(const std::set<std::string>& hosts);

  /// Returns the heartbeat to send: the one under way, or a new one with all changes.
  [[nodiscard]] const pb::AllocateRequest& begin();
  /// Takes in the answer to that heartbeat. Its containers must have ids.
  [[nodiscard]] Harvest accept(const pb::AllocateResponse& answer);
  /// The resource manager refused that heartbeat: the next one repeats everything in it, except
  /// what has been withdrawn meanwhile.
  void refused();
  /// The resource manager has forgotten us: the next heartbeat counts as the first and carries
  /// everything.
  void resync();

  /// Takes over containers that earlier attempts left us, so that their end is reported.
  void adopt(const std::vector<Grant>& grants);

 private:
  void take_changes(pb::AllocateRequest& ask);
  bool matches(const Grant& grant);
  [[nodiscard]] std::set<AllocationId> restated() const;
  void note_taken();
  void take_granted(const pb::AllocateResponse& answer, Harvest& harvest);
  void take_completed(const pb::AllocateResponse& answer, Harvest& harvest);
  void take_rejected(const pb::AllocateResponse& answer, Harvest& harvest);

  std::map<AllocationId, ContainerRequest> requests_;
  std::map<AllocationId, SchedulingRequest> placed_;
  std::set<AllocationId> taken_;     ///< Of both, those that the resource manager knows.
  std::set<ContainerId> releasing_;  ///< Until their end is reported.
  std::set<ContainerId> granted_;    ///< All that ever were, to recognise repetitions.
  std::set<ContainerId> completed_;
  std::set<std::string> avoided_;

  // What the next heartbeat must carry.
  std::set<AllocationId> changed_;
  std::set<AllocationId> changed_placed_;
  std::set<ContainerId> to_release_;
  std::set<std::string> to_avoid_;
  std::set<std::string> to_readmit_;

  std::unique_ptr<pb::AllocateRequest> in_flight_;
  int32_t response_id_ = 0;
};

}  // namespace muster::hadoop::yarn

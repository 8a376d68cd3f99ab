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

/// What an answer brought that is new, once repetitions and what nobody wants are sorted out.
struct Harvest {
  std::vector<Grant> granted;              ///< Each matches an open request.
  std::vector<ContainerStatus> completed;  ///< Each container once.
  std::vector<RejectedRequest> rejected;   ///< Placed requests that are wanted no more for that.
};

/// The application master's side of the table that the resource manager keeps of it: what is still
/// wanted, given back, avoided. Without clocks or connections.
///
/// Its changes go out with the next heartbeat. A heartbeat whose answer was lost is sent again word
/// by word, since the resource manager then returns its stored answer without reading the request;
/// what changed meanwhile waits for the one after. After resync() everything is said again.
class AskBook {
 public:
  AskBook();
  AskBook(AskBook&&) = delete;
  ~AskBook();

  /// Wants `request.count` containers. For an allocation that is known already only the count and
  /// the hosts may differ; for another shape, withdraw it and ask under a new allocation.
  void ask(ContainerRequest request);
  /// Withdraws it. What was granted meanwhile is given back. Unknown ids are ignored.
  void withdraw(AllocationId allocation);
  /// Like ask(), for clusters with a placement handler. It goes out in a heartbeat without changes
  /// of ordinary requests: of one with both, resource managers take in those alone.
  void ask_placed(SchedulingRequest request);
  /// Gives a container back. Repeating it, or for one that has ended, does nothing.
  void release(const ContainerId& container);
  /// Hosts (as they registered) to get no container on, from now on; the others are welcome again.
  void avoid(const std::set<std::string>& hosts);

  /// Returns the heartbeat to send: the one under way, or a new one with all changes.
  [[nodiscard]] const pb::AllocateRequest& begin();
  /// Takes the answer to that heartbeat in. Its containers have ids.
  [[nodiscard]] Harvest accept(const pb::AllocateResponse& answer);
  /// The resource manager would not have that heartbeat: all that it said is said again with the
  /// next one, but for what has been withdrawn meanwhile.
  void refused();
  /// The resource manager has forgotten us: the next heartbeat is the first, and says everything.
  void resync();

  /// Containers that earlier attempts left us, so that their end is reported.
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
  std::set<ContainerId> granted_;    ///< All that ever were, to tell repetitions.
  std::set<ContainerId> completed_;
  std::set<std::string> avoided_;

  // What the next heartbeat must tell.
  std::set<AllocationId> changed_;
  std::set<AllocationId> changed_placed_;
  std::set<ContainerId> to_release_;
  std::set<std::string> to_avoid_;
  std::set<std::string> to_readmit_;

  std::unique_ptr<pb::AllocateRequest> in_flight_;
  int32_t response_id_ = 0;
};

}  // namespace muster::hadoop::yarn

#pragma once

#include "hadoop/yarn/allocate_answer.h"
#include "hadoop/yarn/request.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::yarn {

/// What an answer brought that is new, once repetitions and what nobody wants are sorted out.
struct Harvest {
  std::vector<Grant> granted;              ///< Each matches an open request.
  std::vector<Grant> surplus;              ///< Too many, or too late: being released already.
  std::vector<ContainerStatus> completed;  ///< Each container once.
  std::vector<RejectedRequest> rejected;   ///< Placed requests that are wanted no more for that.
};

/// The application master's side of the table that the resource manager keeps of it: what is still
/// wanted, given back, avoided, changed. A value without clocks or connections.
///
/// Its changes go out with the next heartbeat. A heartbeat whose answer was lost is sent again word
/// by word, since the resource manager then returns its stored answer without reading the question;
/// what changed meanwhile waits for the one after. After resync() everything is said anew.
class AskBook {
 public:
  /// Wants `request.count` containers. For an allocation that is known already only the count may
  /// differ; for another shape, withdraw it and ask under a new allocation.
  void ask(ContainerRequest request);
  /// Wants no more of it. What was granted meanwhile becomes surplus. Unknown ids are ignored.
  void withdraw(AllocationId allocation);
  /// Like ask(), for clusters with a placement handler. It goes out in a heartbeat without changes
  /// of ordinary requests: of one with both, resource managers take in those alone.
  void ask_placed(SchedulingRequest request);
  /// Gives a container back. Repeating it, or for one that has ended, does nothing.
  void release(const ContainerId& container);
  /// Hosts (as they registered) to get no container on, from now on; or again.
  void avoid(const std::string& host);
  void readmit(const std::string& host);
  /// Asks for a change of a container; replaces an earlier one.
  void change(ContainerUpdate update);
  /// Tells where the job's page is, with the next heartbeat.
  void show_page(std::string tracking_url) { page_ = std::move(tracking_url); }

  /// Returns the heartbeat to send: the one under way, or a new one with all changes.
  [[nodiscard]] const AllocateAsk& begin(float progress);
  /// Takes the answer to that heartbeat in.
  [[nodiscard]] Harvest accept(const AllocateAnswer& answer);
  /// The resource manager would not have that heartbeat: all that it said is said again with the
  /// next one, but for what has been withdrawn meanwhile.
  void refused();
  /// The resource manager has forgotten us: the next heartbeat is the first, and says everything.
  void resync();

  /// Containers that earlier attempts left us, so that their end is told.
  void adopt(const std::vector<Grant>& grants);

  [[nodiscard]] bool has_changes() const;
  /// How many containers are wanted and not granted.
  [[nodiscard]] int64_t wanted() const;
  [[nodiscard]] const std::set<std::string>& avoided() const { return avoided_; }

 private:
  void take_changes(AllocateAsk& ask);
  bool matches(const Grant& grant);
  void note_taken();
  void note_updates(const AllocateAnswer& answer);
  void note_rejected(const AllocateAnswer& answer, Harvest& harvest);

  std::map<AllocationId, ContainerRequest> requests_;
  std::map<AllocationId, SchedulingRequest> placed_;
  std::set<AllocationId> taken_;     ///< Of both, those that the resource manager knows.
  std::set<ContainerId> releasing_;  ///< Until their end is told.
  std::set<ContainerId> granted_;    ///< All that ever were, to tell repetitions.
  std::set<ContainerId> completed_;
  std::set<std::string> avoided_;
  std::map<ContainerId, ContainerUpdate> updates_;  ///< Until answered.

  // What the next heartbeat must tell.
  std::set<AllocationId> changed_;
  std::set<AllocationId> changed_placed_;
  std::set<ContainerId> to_release_;
  std::set<std::string> to_avoid_;
  std::set<std::string> to_readmit_;
  std::set<ContainerId> to_update_;
  std::string page_;

  std::optional<AllocateAsk> in_flight_;
  int32_t response_id_ = 0;
};

}  // namespace muster::hadoop::yarn

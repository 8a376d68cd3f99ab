#pragma once

#include "base/time.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn_master.pb.h"
#include "hadoop/yarn_submission.pb.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace muster::testing {

/// A row of an application's table, and since when it has been waiting.
struct WaitingRow {
  ::hadoop::yarn::ResourceRequest row;
  HostTime since;
};

/// What the fake resource manager knows of one application. Tests read it.
struct FakeApplication {
  using RowKey = std::tuple<int32_t, std::string, int64_t>;  ///< Priority, place, allocation.

  hadoop::yarn::ApplicationId id;
  ::hadoop::yarn::ApplicationSubmissionContext submission;
  std::string user;
  int64_t submitted_ms = 0;
  hadoop::yarn::ApplicationState state = hadoop::yarn::ApplicationState::Accepted;
  hadoop::yarn::FinalStatus final_status = hadoop::yarn::FinalStatus::Undefined;
  std::string diagnostics;
  int32_t attempt = 1;
  int64_t containers_made = 0;  ///< In this attempt.
  bool registered = false;
  ::hadoop::yarn::RegisterApplicationMasterRequest presence;
  hadoop::yarn::ContainerId master;  ///< Unless masters run outside the cluster.

  int32_t response_id = 0;
  std::string last_reply;  ///< The reply to allocate, for repetitions.
  std::map<RowKey, WaitingRow> rows;
  std::map<int64_t, ::hadoop::yarn::SchedulingRequest> placed;
  std::set<std::string> avoided;
  std::set<hadoop::yarn::NodeId> known_nodes;  ///< Those whose tokens were given out.
  ::hadoop::yarn::AllocateResponse outbox;     ///< For the next heartbeat.
  /// Ends that the last reply to a heartbeat reported. The next heartbeat confirms that it has
  /// arrived.
  std::vector<::hadoop::yarn::ContainerStatus> unconfirmed;
  std::map<hadoop::yarn::ContainerId, ::hadoop::yarn::Container> held;  ///< Not ended.
  std::vector<::hadoop::yarn::Container> kept;  ///< For the next attempt's registration.
  int32_t token_key = 1;
  bool rolling = false;  ///< Heartbeats carry the next key; the old one is still good.

  std::vector<::hadoop::yarn::AllocateRequest> asks;  ///< Every heartbeat that came, in order.
  std::set<hadoop::yarn::ContainerId> released;
  bool farewell_said = false;
  ::hadoop::yarn::FinishApplicationMasterRequest farewell;
};

}  // namespace muster::testing

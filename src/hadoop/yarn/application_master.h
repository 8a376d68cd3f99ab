#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/ask_book.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/held_token.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/report.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

/// The resource manager's protocol for application masters.
inline constexpr std::string_view kMasterProtocol =
    "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB";

/// How an application master presents itself.
struct MasterPresence {
  std::string host;
  int32_t rpc_port = -1;     ///< -1: none.
  std::string tracking_url;  ///< "" for none.
};

/// What an application master learns when it registers.
struct Registration {
  Resource largest;  ///< The largest container its queue grants.
  std::string queue;
  bool counts_vcores = true;           ///< Room on a node means cores, too, not only memory.
  std::vector<Grant> kept;             ///< Of earlier attempts, still running.
  std::vector<NodeToken> node_tokens;  ///< For the nodes of `kept`.
};

/// What is new in one heartbeat. Each grant and each end is reported once.
struct Heartbeat {
  Harvest harvest;
  std::vector<Grant> kept;  ///< Of earlier attempts; found late by the resource manager.
  std::vector<NodeReport> updated_nodes;
  int32_t cluster_nodes = 0;
  std::optional<Resource> headroom;    ///< What the queue would still grant this application.
  std::vector<ContainerId> preempted;  ///< The cluster wants them back soon.
  std::vector<NodeToken> node_tokens;  ///< For nodes new to this attempt.
  bool resynced = false;  ///< The resource manager had forgotten us; everything was sent again.
};

/// What an application master reports when it finishes.
struct Farewell {
  FinalStatus status = FinalStatus::Undefined;
  std::string diagnostics;
};

/// An application master's connection to the resource manager: registers, requests and gives back
/// containers through its AskBook, and finishes. One call at a time; the caller decides when to
/// send a heartbeat (within a third of the cluster's expiry time, ten minutes or more).
///
/// After a restart or failover of the resource manager, the call that notices it registers again
/// and sends everything again. A rolled token is used at once. Errors: NotFound (this attempt has
/// ended: another master has taken over, or the application was killed; stop at once and do not
/// finish), Unauthenticated (the token is no longer valid: do the same), else see explanation.h.
/// After Unavailable or DeadlineExceeded send another heartbeat: nothing is lost or sent twice.
class ApplicationMaster {
 public:
  /// `resource_manager` connects with `token`; both must outlive this and its coroutines.
  ApplicationMaster(rt::Loop& loop, rpc::Proxy& resource_manager, HeldToken& token)
      : loop_(&loop), proxy_(&resource_manager), token_(&token) {}

  /// The very first call. Also NotFound if its response was lost: only another attempt can register
  /// then.
  [[nodiscard]] rt::Async<Result<Registration>> register_self(MasterPresence presence,
                                                              HostTime deadline);
  [[nodiscard]] AskBook& book() { return book_; }
  /// Sends what changed in the book and takes in what arrives.
  [[nodiscard]] rt::Async<Result<Heartbeat>> heartbeat(HostTime deadline);
  /// Ends the application and waits until the resource manager has recorded that. The cluster then
  /// ends its remaining containers.
  [[nodiscard]] rt::Async<Status> finish(Farewell farewell, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Status> register_again(HostTime deadline);
  [[nodiscard]] Result<Heartbeat> take(const pb::AllocateResponse& answer);

  rt::Loop* loop_;
  rpc::Proxy* proxy_;
  HeldToken* token_;
  AskBook book_;
  MasterPresence presence_;
};

}  // namespace muster::hadoop::yarn

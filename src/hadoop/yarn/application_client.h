#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn/submission.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

/// The resource manager's protocol for clients.
inline constexpr std::string_view kClientProtocol =
    "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB";

/// Which applications to list. Empty lists match everything.
struct ApplicationFilter {
  std::vector<std::string> users;
  std::vector<std::string> tags;  ///< One of them is enough; compared in lower case.
  std::vector<ApplicationState> states = {};
  /// Only those that ended then or later, in ms since 1970; 0: all, including those still running.
  int64_t finished_since_ms = 0;
};

/// Makes the calls of clients to the resource manager. Stateless except for its proxy, which must
/// outlive the coroutines. All calls end by their deadline; each failure is one Error for users
/// (see explanation.h). Calls that change something can be repeated.
class ApplicationClient {
 public:
  ApplicationClient(rt::Loop& loop, rpc::Proxy& resource_manager)
      : loop_(&loop), proxy_(&resource_manager) {}

  [[nodiscard]] rt::Async<Result<NewApplication>> new_application(HostTime deadline);
  /// Submits, and waits until the cluster has accepted: the report's state is Accepted or later. A
  /// refusal is returned as an Error with the reason. If the resource manager has lost the
  /// application in a failover, it is submitted again.
  [[nodiscard]] rt::Async<Result<ApplicationReport>> submit(Submission submission,
                                                            HostTime deadline);
  [[nodiscard]] rt::Async<Result<ApplicationReport>> report(ApplicationId id, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<ApplicationReport>>> applications(
      ApplicationFilter filter, HostTime deadline);
  /// Kills the application and waits until that is done. `why` goes into the application's
  /// diagnostics.
  [[nodiscard]] rt::Async<Status> kill(ApplicationId id, std::string why, HostTime deadline);

  [[nodiscard]] rt::Async<Result<ClusterMetrics>> metrics(HostTime deadline);
  /// Returns the nodes in one of `states`; all nodes if it is empty.
  [[nodiscard]] rt::Async<Result<std::vector<NodeReport>>> nodes(std::vector<NodeState> states,
                                                                 HostTime deadline);
  /// Returns the names of all node labels.
  [[nodiscard]] rt::Async<Result<std::vector<std::string>>> node_labels(HostTime deadline);
  /// NotFound if there is no such queue.
  [[nodiscard]] rt::Async<Result<QueueInfo>> queue(std::string name, HostTime deadline);
  /// Returns what the requesting user may do in each queue.
  [[nodiscard]] rt::Async<Result<std::vector<QueueRights>>> queue_rights(HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Status> send_submission(const Submission* submission, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::optional<ApplicationReport>>> settled(
      const Submission* submission, HostTime deadline);

  rt::Loop* loop_;
  rpc::Proxy* proxy_;
};

}  // namespace muster::hadoop::yarn

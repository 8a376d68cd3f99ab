#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/token.h"
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

/// The protocol that the resource manager speaks with clients.
inline constexpr std::string_view kClientProtocol =
    "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB";

/// Which applications to list. Empty lists match all.
struct ApplicationFilter {
  std::vector<std::string> types;
  std::vector<ApplicationState> states;
  std::vector<std::string> users;
  std::vector<std::string> queues;
  std::vector<std::string> tags;  ///< One of them is enough; compared in lower case.
  std::string name;               ///< Resource managers before 3.3 ignore it.
  int64_t count_max = 0;          ///< 0: all.
  bool own = false;               ///< Only the asking user's.
};

enum class ContainerSignal : uint8_t {
  ThreadDump,  ///< SIGQUIT
  Graceful,    ///< SIGTERM; nothing follows.
  Forceful,    ///< SIGKILL
};

/// What clients ask of the resource manager. Stateless, but for its proxy, which must outlive the
/// coroutines. All calls end by their deadline; each failure is one Error for people (see
/// explanation.h). Calls that change something can be repeated.
class ApplicationClient {
 public:
  ApplicationClient(rt::Loop& loop, rpc::Proxy& resource_manager)
      : loop_(&loop), proxy_(&resource_manager) {}

  [[nodiscard]] rt::Async<Result<NewApplication>> new_application(HostTime deadline);
  /// Submits, and waits until the cluster has accepted: the report's state is Accepted or later.
  /// What it refuses comes as an Error with its reason. When the resource manager has lost the
  /// application in a failover it is submitted again.
  [[nodiscard]] rt::Async<Result<ApplicationReport>> submit(Submission submission,
                                                            HostTime deadline);
  [[nodiscard]] rt::Async<Result<ApplicationReport>> report(ApplicationId id, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<ApplicationReport>>> applications(
      ApplicationFilter filter, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<AttemptReport>>> attempts(ApplicationId id,
                                                                       HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<ContainerReport>>> containers(AttemptId id,
                                                                           HostTime deadline);
  /// Kills, and waits until that is done. `why` goes into the application's diagnostics.
  [[nodiscard]] rt::Async<Status> kill(ApplicationId id, std::string why, HostTime deadline);
  /// Ends the current attempt of the master as failed; the cluster starts the next one.
  [[nodiscard]] rt::Async<Status> fail_attempt(AttemptId id, HostTime deadline);

  [[nodiscard]] rt::Async<Result<ClusterMetrics>> metrics(HostTime deadline);
  /// Nodes in one of `states`; all when it is empty.
  [[nodiscard]] rt::Async<Result<std::vector<NodeReport>>> nodes(std::vector<NodeState> states,
                                                                 HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<LabelsOfNode>>> labels_of_nodes(HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<NodeLabel>>> node_labels(HostTime deadline);
  /// `recursive`: with all queues below. NotFound when there is no such queue.
  [[nodiscard]] rt::Async<Result<QueueInfo>> queue(std::string name, bool recursive,
                                                   HostTime deadline);
  /// What the asking user may do in each queue.
  [[nodiscard]] rt::Async<Result<std::vector<QueueRights>>> queue_rights(HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<ResourceType>>> resource_types(HostTime deadline);

  [[nodiscard]] rt::Async<Status> move_to_queue(ApplicationId id, std::string queue,
                                                HostTime deadline);
  /// Returns the priority that the application has now: the cluster caps it.
  [[nodiscard]] rt::Async<Result<int32_t>> set_priority(ApplicationId id, int32_t priority,
                                                        HostTime deadline);
  /// Lets the cluster kill the application at `when`.
  [[nodiscard]] rt::Async<Status> set_end(ApplicationId id, WallTime when, HostTime deadline);
  [[nodiscard]] rt::Async<Status> signal(ContainerId id, ContainerSignal signal, HostTime deadline);

  /// A token with which others act as the asking user here. `renewer`: who may prolong it, the
  /// resource manager's own user as a rule. Its service is empty: the caller knows the addresses.
  [[nodiscard]] rt::Async<Result<Token>> delegation_token(std::string renewer, HostTime deadline);
  /// Returns when the token expires now.
  [[nodiscard]] rt::Async<Result<WallTime>> renew(Token token, HostTime deadline);
  [[nodiscard]] rt::Async<Status> cancel(Token token, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Status> send_submission(const Submission* submission, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::optional<ApplicationReport>>> settled(
      const Submission* submission, HostTime deadline);

  rt::Loop* loop_;
  rpc::Proxy* proxy_;
};

}  // namespace muster::hadoop::yarn

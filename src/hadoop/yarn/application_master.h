#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/allocate_answer.h"
#include "hadoop/yarn/ask_book.h"
#include "hadoop/yarn/held_token.h"
#include "hadoop/yarn/registration.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::hadoop::yarn {

/// The protocol that the resource manager speaks with application masters.
inline constexpr std::string_view kMasterProtocol =
    "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB";

/// What one heartbeat brought.
struct Heartbeat {
  AllocateAnswer answer;
  Harvest harvest;        ///< Of `answer`, without repetitions.
  bool resynced = false;  ///< The resource manager had forgotten us; everything was said anew.
};

/// An application master's line to the resource manager: registers, asks and gives back through its
/// AskBook, and says farewell. One call at a time; the caller decides when to beat (within a third
/// of the cluster's expiry time, ten minutes or more).
///
/// A restarted or failed-over resource manager is met by registering again and saying everything
/// anew, inside the call that notices it. A rolled token is taken over at once. Errors: NotFound
/// (this attempt is over: another master has taken over, or the application was killed; stop at
/// once and do not finish), Unauthenticated (the token is no longer good: the same move), else see
/// explanation.h. After Unavailable or DeadlineExceeded beat again: nothing is lost or said twice.
class ApplicationMaster {
 public:
  /// `resource_manager` connects with `token`; both must outlive this and its coroutines.
  ApplicationMaster(rt::Loop& loop, rpc::Proxy& resource_manager, HeldToken& token)
      : loop_(&loop), proxy_(&resource_manager), token_(&token) {}

  /// The first call of all.
  [[nodiscard]] rt::Async<Result<Registration>> register_self(MasterPresence presence,
                                                              HostTime deadline);
  [[nodiscard]] AskBook& book() { return book_; }
  [[nodiscard]] const AskBook& book() const { return book_; }
  /// Tells what changed in the book, takes in what came. `progress`: 0..1.
  [[nodiscard]] rt::Async<Result<Heartbeat>> heartbeat(float progress, HostTime deadline);
  /// Where the job's page is from now on; told with the next heartbeat.
  void set_tracking_url(std::string url);
  /// Ends the application, and waits until the resource manager has it written down. The cluster
  /// then ends what still runs of it.
  [[nodiscard]] rt::Async<Status> finish(Farewell farewell, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Status> register_again(HostTime deadline);
  [[nodiscard]] Result<Heartbeat> take(AllocateAnswer answer, bool resynced);

  rt::Loop* loop_;
  rpc::Proxy* proxy_;
  HeldToken* token_;
  AskBook book_;
  MasterPresence presence_;
};

}  // namespace muster::hadoop::yarn

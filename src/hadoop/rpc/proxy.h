#pragma once

#include "base/time.h"
#include "hadoop/rpc/failure.h"
#include "rt/async.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace muster::hadoop::rpc {

/// Whether a call whose fate is unknown (the connection broke after it was sent) may be sent again.
enum class Repetition : uint8_t {
  Idempotent,  ///< Twice is as good as once.
  AtMostOnce,  ///< The server's retry cache knows a repeated call by its id; so does a response id.
  NotRepeated,  ///< A repeat would go unnoticed: the caller is told (Failure::may_be_done).
};

/// One method of a Hadoop protocol. All parts are literals.
struct Method {
  std::string_view name;  ///< As on the wire: "getFileInfo".
  Repetition repetition = Repetition::NotRepeated;
};

struct CallOptions {
  /// When to give up, over all attempts and servers. Without one the service's options decide.
  std::optional<HostTime> deadline;
  /// Failures of these kinds are returned to the caller at once, without trying another server or
  /// another attempt.
  bool fail_fast = false;
};

/// One remote service (a NameNode pair, a ResourceManager, a NodeManager) as one identity sees it.
/// Connects with its first call; many calls may be under way at once and overtake each other.
/// Implemented by Service (service.h) and by fakes.
class Proxy {
 public:
  virtual ~Proxy() = default;

  /// Calls `method`; `reply` is filled when the outcome is a success. Both messages and the proxy
  /// must live until the coroutine has ended or is destroyed. Destroying it cancels: the request is
  /// not sent, or its answer ignored. Retries and failover as `method.repetition` allows.
  /// Failures: RemoteException (exception_class is set), Unavailable, DeadlineExceeded,
  /// Unauthenticated (no usable credentials; never retried), Corrupt (not Hadoop's protocol).
  [[nodiscard]] virtual rt::Async<Outcome> call(Method method,
                                                const google::protobuf::MessageLite& request,
                                                google::protobuf::MessageLite& reply,
                                                CallOptions options) = 0;

  [[nodiscard]] rt::Async<Outcome> call(Method method, const google::protobuf::MessageLite& request,
                                        google::protobuf::MessageLite& reply) {
    return call(method, request, reply, CallOptions());
  }
};

}  // namespace muster::hadoop::rpc

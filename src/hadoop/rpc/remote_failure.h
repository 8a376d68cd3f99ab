#pragma once

#include "hadoop/rpc/failure.h"

#include <string_view>

namespace hadoop::common {
class RpcResponseHeaderProto;
}

namespace muster::hadoop::rpc {

/// Makes a Failure of what a server threw. `what` names the server and the call, for the message.
/// The first line of the server's text is the message, without the class and the stack trace.
[[nodiscard]] Failure remote_failure(std::string_view what, std::string_view exception_class,
                                     std::string_view text);

/// The same for a response header whose status is not SUCCESS.
[[nodiscard]] Failure remote_failure(std::string_view what,
                                     const ::hadoop::common::RpcResponseHeaderProto& header);

}  // namespace muster::hadoop::rpc

#pragma once

#include "base/error.h"
#include "hadoop/rpc/failure.h"

#include <string_view>

namespace muster::hadoop::yarn {

/// Returns one clear Error for a failed call: what was tried, the cluster's message, who has to act
/// and, if something can be done, what. Codes that callers branch on: NotFound (no such
/// application, attempt, container or queue), PermissionDenied, NeverFits (larger than the cluster
/// grants, or a label nobody has), Unauthenticated (the token is no longer valid), AlreadyExists
/// (the container is already running); others as rpc returns them.
[[nodiscard]] Error explain(const rpc::Failure& failure, std::string_view what);

/// The same for an exception that came inside an answer: class ("" if unknown) and message.
[[nodiscard]] Error explain_exception(std::string_view java_class, std::string_view message,
                                      std::string_view what);

}  // namespace muster::hadoop::yarn

#pragma once

#include "base/result.h"
#include "fs/session.h"
#include "rt/async.h"

#include <string>
#include <vector>

namespace muster::fs {

/// "SOURCE... TARGET", as for put and mv.
struct Target {
  std::vector<std::string> sources;  ///< What goes there, at least one.
  Place place;
  bool folder = false;  ///< All go below it, under their own names.
};

/// What a missing target means.
enum class MissingFolder : uint8_t {
  Made,     ///< If written with a trailing slash, it is made.
  Refused,  ///< Such a target must exist.
};

/// Parses the arguments and examines the target; several sources need a folder. `done`: what
/// happens to them, for people.
[[nodiscard]] rt::Async<Result<Target>> find_target(Session* session, std::string done,
                                                    MissingFolder missing);

}  // namespace muster::fs

#pragma once

#include "app/fs_session.h"
#include "base/result.h"
#include "rt/async.h"

#include <string>
#include <vector>

namespace muster::app {

/// "WORD... TARGET", as put and mv have it.
struct FsTarget {
  std::vector<std::string> words;  ///< What goes there, at least one.
  FsPlace place;
  bool folder = false;  ///< All go below it, under their own names.
};

/// What a missing target means.
enum class MissingFolder : uint8_t {
  Made,     ///< Written with a slash at its end it is made.
  Refused,  ///< Such a target must be there.
};

/// Reads the command's words and looks at the target; several words need a folder. `done`: what
/// happens to them, for people.
[[nodiscard]] rt::Async<Result<FsTarget>> fs_target(FsSession* session, std::string done,
                                                    MissingFolder missing);

}  // namespace muster::app

#pragma once

#include "fs/session.h"
#include "hadoop/hdfs/names/remote_tree.h"
#include "rt/async.h"

#include <string>
#include <vector>

/// The commands of `muster fs`. Each continues with its next argument after an error, which it
/// prints; the exit status is that of the first error.
namespace muster::fs {

[[nodiscard]] rt::Async<> ls(Session* session);
[[nodiscard]] rt::Async<> stat(Session* session);
[[nodiscard]] rt::Async<> cat(Session* session);
/// The same for paths other than those on the command line.
[[nodiscard]] rt::Async<> cat_paths(Session* session, std::vector<std::string> paths);
[[nodiscard]] rt::Async<> put(Session* session);
[[nodiscard]] rt::Async<> get(Session* session);
[[nodiscard]] rt::Async<> rm(Session* session);
[[nodiscard]] rt::Async<> mkdir(Session* session);
[[nodiscard]] rt::Async<> mv(Session* session);

/// The meaning of a command-line argument: every path that it matches, at least one.
struct Matches {
  Place place;
  std::vector<hadoop::hdfs::Found> found;
};
[[nodiscard]] rt::Async<Result<Matches>> find_matches(Session* session, std::string argument);

}  // namespace muster::fs

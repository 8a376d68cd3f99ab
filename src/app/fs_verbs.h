#pragma once

#include "app/fs_session.h"
#include "hadoop/hdfs/remote_tree.h"
#include "rt/async.h"

#include <string>
#include <vector>

/// The commands of `muster fs`. Each goes on with its next word after an error, which it prints;
/// the exit status is that of the first.
namespace muster::app {

[[nodiscard]] rt::Async<> fs_ls(FsSession* session);
[[nodiscard]] rt::Async<> fs_stat(FsSession* session);
[[nodiscard]] rt::Async<> fs_cat(FsSession* session);
/// The same for other words than those of the command line.
[[nodiscard]] rt::Async<> fs_cat_words(FsSession* session, std::vector<std::string> words);
[[nodiscard]] rt::Async<> fs_put(FsSession* session);
[[nodiscard]] rt::Async<> fs_get(FsSession* session);
[[nodiscard]] rt::Async<> fs_rm(FsSession* session);
[[nodiscard]] rt::Async<> fs_mkdir(FsSession* session);
[[nodiscard]] rt::Async<> fs_mv(FsSession* session);

/// What a word of the command line means: every path that it matches, at least one.
struct FsMatches {
  FsPlace place;
  std::vector<hadoop::hdfs::Found> found;
};
[[nodiscard]] rt::Async<Result<FsMatches>> fs_matches(FsSession* session, std::string word);

}  // namespace muster::app

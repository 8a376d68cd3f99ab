#pragma once

#include "client/reach/copy_place.h"
#include "client/reach/exec_run.h"
#include "client/session.h"

#include <filesystem>
#include <string>

namespace muster::client {

/// Copies a file, or a folder with everything in it, from a task to `to`: into it if that is a
/// folder, else under that name. Permissions (as the umask allows), times and symbolic links are
/// kept; anything but files, folders and links is left out, and reported. The copy gets its name
/// only when all of it is there; a folder never replaces anything. `plan` has what is the same for
/// every session. Returns the exit status, after saying what is wrong.
[[nodiscard]] int copy_tree_here(Session& session, const CopyPlace& from,
                                 const std::filesystem::path& to, const std::string& on,
                                 const ExecPlan& plan);

/// The same from this machine to a task.
[[nodiscard]] int copy_tree_there(Session& session, const std::filesystem::path& from,
                                  const CopyPlace& to, const std::string& on, const ExecPlan& plan);

/// Returns the path in a form that is not taken for an option even if it begins with -.
[[nodiscard]] std::string plain_path(const std::string& path);

/// Runs a /bin/sh script in the place's task, with these words as $1, $2, ... It may call
/// `not_found PATH WHERE`, which says why nothing is found there and ends the script.
[[nodiscard]] int run_copy_script(Session& session, const CopyPlace& there, const std::string& on,
                                  ExecPlan plan, const char* script,
                                  const std::vector<std::string>& words);

}  // namespace muster::client

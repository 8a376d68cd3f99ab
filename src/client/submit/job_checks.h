#pragma once

#include "base/result.h"
#include "spec/check/file_check.h"
#include "spec/read/layers.h"

namespace muster::client {

/// Checks everything about a job that needs no cluster: its files, its programs, its rules, and
/// whether its framework can be planned like that. Every command that takes a specification uses
/// this one function, so that none accepts what another refuses. `own_folders`: each task runs in a
/// folder of its own, which holds the job's files and nothing else. Errors are the user's: at most
/// 10 lines with file, line and column.
[[nodiscard]] Status check_job(const spec::Loaded& loaded, spec::FileProbe& probe,
                               bool own_folders);

}  // namespace muster::client

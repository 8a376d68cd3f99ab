#pragma once

#include "base/result.h"
#include "client/options.h"
#include "client/session.h"
#include "client/submit/job_source.h"
#include "spec/spec.h"
#include "wire/frame.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::client {

/// A job whose specification is not in any file, because it was made from something else.
struct MadeJob {
  std::string origin;  ///< What it was made from, for messages: "tony.xml".
  std::string head;    ///< Comment lines that stand above it.
  spec::Spec spec;     ///< Relative paths are relative to the working folder.
};

/// Like read_job. The text that is kept with the job names all files by absolute paths, so that it
/// means the same wherever it is run again.
[[nodiscard]] Result<ReadJob> read_made_job(os::Files& files, const MadeJob& made,
                                            const std::vector<std::string>& sets,
                                            const Surroundings& surroundings);

/// Like run_job, for a made job. Says once where its specification is. `take_output`, if set, gets
/// the tasks' output, which is then not shown.
int run_made_job(Session& session, const RunCommand& command, const MadeJob& made,
                 std::function<void(const wire::Output&)> take_output = {});

/// Like submit_detached, for a made job; `may` is asked before anything is created.
[[nodiscard]] Result<std::string> submit_made_job(Session& session, const SpecOptions& options,
                                                  const MadeJob& made,
                                                  std::function<Status(const spec::Spec&)> may);

}  // namespace muster::client

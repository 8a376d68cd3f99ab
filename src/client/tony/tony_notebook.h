#pragma once

#include "client/options.h"
#include "client/session.h"
#include "client/submit/made_job.h"

namespace muster::client {

/// Runs a made job of one task as TonY's NotebookSubmitter does: prints an address of this machine
/// that leads to the port TB_PORT of the task, where its program listens, and ends the job when it
/// is ended itself. Returns 0 then; if the job ends earlier or never listens, prints a message and
/// returns its exit status.
[[nodiscard]] int run_tony_notebook(Session& session, const SpecOptions& options,
                                    const MadeJob& made);

}  // namespace muster::client

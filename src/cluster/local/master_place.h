#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "cluster/job_folder.h"
#include "os/files.h"

namespace muster::cluster::local {

/// Where a job's master listens, for clients and agents that look for it: a file with mode 0600 in the job's folder,
/// written by each master once it listens. Whether that master still lives is what the job's lock says.
[[nodiscard]] Status write_master_place(os::Files& files, const JobFolder& folder, const std::string& address);

/// NotFound if no master has written it yet.
[[nodiscard]] Result<std::string> read_master_place(os::Files& files, const JobFolder& folder);

/// What a starting master tells the process that waits for it, in one line on a pipe: "ready ADDRESS" or
/// "error CODE MESSAGE".
[[nodiscard]] std::string ready_line(const std::string& address);
[[nodiscard]] std::string error_line(const Error& error);
/// Reads such a line; the error is the master's own.
[[nodiscard]] Result<std::string> parse_ready_line(const std::string& line);

}  // namespace muster::cluster::local

#pragma once

#include "base/result.h"
#include "cluster/container_entry.h"
#include "cluster/find_variable.h"
#include "hadoop/credentials.h"
#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <string_view>

/// What a process finds in a container of YARN when it starts there.
namespace muster::cluster::yarn {

/// The prefix of our secrets' names in a container's credentials.
inline constexpr std::string_view kOwnSecrets = "muster.";
/// Names of secrets in a container's credentials.
inline constexpr std::string_view kLaunchSecret = "muster.agent-launch";
inline constexpr std::string_view kJobSecret = "muster.job-secret";
/// Precedes the key of a secret entry of the specification, as in MasterOptions::secrets.
inline constexpr std::string_view kEntrySecret = "muster.secret.";

/// Reads the credentials of this container; an error if it is not one of YARN's.
[[nodiscard]] Result<hadoop::Credentials> container_credentials(os::Files& files,
                                                                const FindVariable& find);

/// Removes what only Muster needs from the container's token file: programs that run here find the
/// tokens that the user sent, but no key of any party of the job.
[[nodiscard]] Status withhold_secrets(os::Files& files, const FindVariable& find);

/// Returns what the keeper of a container starts its agent with: the master's order from the
/// credentials, from which its secrets are then withheld. The job's folder is made below `folder`,
/// the container's own; its logs are the container's. Its GPUs are held. Blocks.
[[nodiscard]] Result<ContainerEntry> enter_container(os::Files& files, const FindVariable& find,
                                                     const std::filesystem::path& folder);

/// Returns the first of YARN's folders for the logs of this container.
[[nodiscard]] Result<std::filesystem::path> log_folder(const FindVariable& find);

}  // namespace muster::cluster::yarn

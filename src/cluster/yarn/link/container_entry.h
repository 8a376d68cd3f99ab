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

/// What the names of our secrets in a container's credentials begin with.
inline constexpr std::string_view kOwnSecrets = "muster.";
/// Names of secrets in a container's credentials.
inline constexpr std::string_view kLaunchSecret = "muster.agent-launch";
inline constexpr std::string_view kJobSecret = "muster.job-secret";
/// Before the key of a secret entry of the specification, as MasterOptions::secrets has it.
inline constexpr std::string_view kEntrySecret = "muster.secret.";

/// Reads the credentials of this container; an error if it is not one of YARN's.
[[nodiscard]] Result<hadoop::Credentials> container_credentials(os::Files& files,
                                                                const FindVariable& find);

/// Takes what Muster alone needs out of the container's token file: the programs that run here
/// find the tokens that the user sent, and no key of a party of the job.
[[nodiscard]] Status withhold_secrets(os::Files& files, const FindVariable& find);

/// What the keeper of a container starts its agent with: the master's order from the credentials,
/// which then withholds its secrets. The job's folder is made below `folder`, the container's own;
/// its logs are the container's. Its GPUs are held. Blocks.
[[nodiscard]] Result<ContainerEntry> enter_container(os::Files& files, const FindVariable& find,
                                                     const std::filesystem::path& folder);

/// The first of YARN's folders for the logs of this container.
[[nodiscard]] Result<std::filesystem::path> log_folder(const FindVariable& find);

}  // namespace muster::cluster::yarn

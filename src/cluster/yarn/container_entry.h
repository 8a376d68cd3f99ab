#pragma once

#include "base/result.h"
#include "cluster/agent_launch.h"
#include "hadoop/credentials.h"
#include "os/files.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What a process finds in a container of YARN when it starts there.
namespace muster::cluster::yarn {

/// Names of secrets in a container's credentials.
inline constexpr std::string_view kLaunchSecret = "muster.agent-launch";
inline constexpr std::string_view kJobSecret = "muster.job-secret";
/// Before the key of a secret entry of the specification, as MasterOptions::secrets has it.
inline constexpr std::string_view kEntrySecret = "muster.secret.";

/// Looks a variable of the process's environment up.
using FindVariable = std::function<std::optional<std::string>(std::string_view name)>;

/// Reads the credentials of this container; an error if it is none of YARN's.
[[nodiscard]] Result<hadoop::Credentials> container_credentials(os::Files& files,
                                                                const FindVariable& find);

/// What the keeper of a container starts its agent with: the master's order from the credentials,
/// with the job's folder made below `folder`, the container's own; its logs are the container's.
[[nodiscard]] Result<AgentLaunch> enter_container(os::Files& files, const FindVariable& find,
                                                  const std::filesystem::path& folder);

/// The first of YARN's folders for the logs of this container.
[[nodiscard]] Result<std::filesystem::path> log_folder(const FindVariable& find);

}  // namespace muster::cluster::yarn

#include "cluster/yarn/link/container_entry.h"

#include "cluster/job_folder.h"
#include "cluster/yarn/link/docker_runtime.h"
#include "cluster/yarn/link/gpu_claims.h"
#include "hadoop/token_file.h"
#include "os/host/gpus.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

constexpr Duration kGpuPatience = std::chrono::seconds(30);

Result<std::string> variable(const FindVariable& find, std::string_view name) {
  if (auto value = find(name); value.has_value() && !value->empty()) {
    return *std::move(value);
  }
  return user_error(
      fmt::format("{} is not set: this program is started by Muster in a container", name));
}

}  // namespace

Result<hadoop::Credentials> container_credentials(os::Files& files, const FindVariable& find) {
  MUSTER_TRY(const std::string path, variable(find, "HADOOP_TOKEN_FILE_LOCATION"));
  return hadoop::read_token_file(files, path);
}

Status withhold_secrets(os::Files& files, const FindVariable& find) {
  MUSTER_TRY(const std::string path, variable(find, "HADOOP_TOKEN_FILE_LOCATION"));
  MUSTER_TRY(const hadoop::Credentials credentials, hadoop::read_token_file(files, path));
  hadoop::Credentials kept;
  for (const hadoop::NamedToken& named : credentials.tokens()) {
    if (named.token.kind != hadoop::token_kind::kAmRm) {
      kept.add(named.alias, named.token);
    }
  }
  for (const hadoop::NamedSecret& named : credentials.secrets()) {
    if (!named.alias.starts_with(kOwnSecrets)) {
      kept.add_secret(named.alias, named.secret);
    }
  }
  const Status written = hadoop::write_token_file(files, path, kept);
  return written ? written
                 : Status(written.error().within("cannot take Muster's keys out of the "
                                                 "container's token file"));
}

Result<std::filesystem::path> log_folder(const FindVariable& find) {
  MUSTER_TRY(const std::string folders, variable(find, "LOG_DIRS"));
  return std::filesystem::path(folders.substr(0, folders.find(',')));
}

Result<ContainerEntry> enter_container(os::Files& files, const FindVariable& find,
                                       const std::filesystem::path& folder) {
  MUSTER_TRY_STATUS(check_runs_in_docker(files, find));
  MUSTER_TRY(const hadoop::Credentials credentials, container_credentials(files, find));
  const hadoop::Secret* const order = credentials.find_secret(kLaunchSecret);
  if (order == nullptr) {
    return bug("the container's credentials have no launch order");
  }
  ContainerEntry entry;
  MUSTER_TRY(entry.launch, decode_agent_launch(order->reveal()));
  MUSTER_TRY_STATUS(withhold_secrets(files, find));
  MUSTER_TRY(const std::filesystem::path logs, log_folder(find));
  const JobFolder job(folder / entry.launch.order.job.value);
  MUSTER_TRY_STATUS(files.make_folders(job.work(), 0700));
  if (!files.exists(job.logs())) {
    MUSTER_TRY_STATUS(files.symbolic_link(logs, job.logs()));
  }
  entry.launch.job_folder = job.root().string();
  if (!entry.launch.gpus.empty()) {
    // An isolated container has no /proc/driver, but always the program.
    const std::optional<std::vector<os::Gpu>> told = os::ask_nvidia_smi();
    MUSTER_TRY(GpuClaims claims, claim_gpus(told ? *told : os::discover_gpus(),
                                            entry.launch.gpus.size(), kGpuPatience));
    entry.launch.gpus = std::move(claims.indices);
    entry.held = std::move(claims.held);
  }
  return entry;
}

}  // namespace muster::cluster::yarn

#include "cluster/yarn/container_entry.h"

#include "cluster/job_folder.h"
#include "cluster/yarn/docker_runtime.h"
#include "hadoop/token_file.h"

#include <fmt/format.h>

namespace muster::cluster::yarn {
namespace {

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

Result<std::filesystem::path> log_folder(const FindVariable& find) {
  MUSTER_TRY(const std::string folders, variable(find, "LOG_DIRS"));
  return std::filesystem::path(folders.substr(0, folders.find(',')));
}

Result<AgentLaunch> enter_container(os::Files& files, const FindVariable& find,
                                    const std::filesystem::path& folder) {
  MUSTER_TRY_STATUS(check_runs_in_docker(files, find));
  MUSTER_TRY(const hadoop::Credentials credentials, container_credentials(files, find));
  const hadoop::Secret* const order = credentials.find_secret(kLaunchSecret);
  if (order == nullptr) {
    return bug("the container's credentials hold no launch order");
  }
  MUSTER_TRY(AgentLaunch launch, decode_agent_launch(order->reveal()));
  MUSTER_TRY(const std::filesystem::path logs, log_folder(find));
  const JobFolder job(folder / launch.order.job.value);
  MUSTER_TRY_STATUS(files.make_folders(job.work(), 0700));
  if (!files.exists(job.logs())) {
    MUSTER_TRY_STATUS(files.symbolic_link(logs, job.logs()));
  }
  launch.job_folder = job.root().string();
  return launch;
}

}  // namespace muster::cluster::yarn

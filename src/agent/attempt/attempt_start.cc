#include "agent/attempt/attempt_start.h"

#include "agent/attempt/interpreter.h"
#include "agent/attempt/shell_command.h"
#include "agent/attempt/task_environment.h"
#include "agent/checkpoint/commit_request.h"
#include "os/hardware.h"

#include <filesystem>
#include <string>
#include <utility>

namespace muster::agent {

Result<TaskRun::StartOptions> start_options(os::Files& files, const JobContext& job,
                                            const Preparation& preparation, const job::View& view) {
  const std::filesystem::path& folder = preparation.work_folder;
  EnvironmentSources sources;
  sources.plan = &job.plan();
  sources.view = &view;
  sources.order = preparation.order;
  sources.work_folder = folder;
  sources.checkpoint_folder = preparation.checkpoint.folder;
  sources.view_file = folder / kViewFile;
  sources.python_folder = preparation.python_folder;
  sources.class_path = preparation.class_path;
  sources.cores = os::usable_cores();
  sources.gpus = job.identity().launch.gpus;
  sources.inherited = &job.identity().inherited;
  sources.secrets = &job.secrets();
  if (preparation.checkpoint.store != nullptr) {
    sources.program_folder = job.host_folder() / ".muster" / "bin";
    sources.commit_folder = preparation.mirrors() ? preparation.commit_folder() : "";
    MUSTER_TRY_STATUS(files.make_folders(sources.program_folder));
    MUSTER_TRY_STATUS(
        files.write(sources.program_folder / "muster-commit", commit_program(), {.mode = 0755}));
  }
  MUSTER_TRY(TaskEnvironment environment, make_environment(sources));
  MUSTER_TRY_STATUS(files.write(sources.view_file, environment.view_text));
  TaskRun::StartOptions options;
  const std::string& path = environment.variables["PATH"];
  options.command = shell_command(files, preparation.settings.command, path, folder);
  options.python = python_of(files, options.command, path, folder);
  options.environment = std::move(environment.variables);
  options.rotation = {job.plan().spec.logs.max, job.plan().spec.logs.keep};
  options.memory_limit_bytes = job.role_of(preparation.order.attempt).resources.memory_bytes;
  return options;
}

}  // namespace muster::agent

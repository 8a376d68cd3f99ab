#include "agent/attempt/attempt_start.h"

#include "agent/attempt/interpreter.h"
#include "agent/attempt/shell_command.h"
#include "agent/attempt/task_environment.h"
#include "agent/checkpoint/commit_request.h"
#include "base/text.h"
#include "framework/rendezvous.h"
#include "os/host/hardware.h"
#include "os/host/interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace muster::agent {

namespace {

/// Returns the command preceded by what the role runs first (`prepare`).
std::string prepared(const JobContext& job, const Preparation& preparation,
                     const std::string& command) {
  const std::optional<std::string>& before = job.spec_role_of(preparation.order.attempt).prepare;
  return before ? fmt::format("(\n{}\n) || exit\n{}", *before, command) : command;
}

/// Returns the command wrapped in the framework's program inside the attempt (src/inside), if it
/// has one.
std::string begun(const JobContext& job, const Preparation& preparation, const job::View& view,
                  const std::string& command) {
  const job::Plan& plan = job.plan();
  const job::TaskId task = preparation.order.attempt.task;
  std::string options;
  if (framework::serves_rendezvous(plan, view, task)) {
    const auto self = std::ranges::find(view.members, task, &job::Member::task);
    job::Address address = self->address;
    address.port = address.named_ports.at(std::string(framework::kRendezvousPort));
    options += " --rendezvous " + shell_quote(framework::endpoint(address));
  }
  if (const std::string& program = plan.spec.runtime.program; !program.empty()) {
    options += " --program " + shell_quote(program);
  }
  if (options.empty()) {
    return command;
  }
  return fmt::format("exec {} inside{} -- /bin/sh -c {}", shell_quote(job.identity().program),
                     options, shell_quote(command));
}

}  // namespace

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
  sources.program = job.identity().program;
  sources.interface = os::interface_of_address(job.identity().launch.listen_host);
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
  const std::string command = shell_command(files, preparation.settings.command, path, folder);
  options.python = python_of(files, command, path, folder);
  options.command = begun(job, preparation, view, prepared(job, preparation, command));
  options.environment = std::move(environment.variables);
  options.rotation = {job.plan().spec.logs.max, job.plan().spec.logs.keep};
  options.merges_streams = job.plan().spec.logs.merged;
  options.memory_limit_bytes = job.role_of(preparation.order.attempt).resources.memory_bytes;
  return options;
}

}  // namespace muster::agent

#include "base/text.h"
#include "client/commands.h"
#include "client/reach/exec_run.h"
#include "client/reach/reach_rules.h"
#include "client/reach/ssh_files.h"
#include "client/reach/ssh_script.h"
#include "client/reach/task_selection.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "os/file/file_facts.h"
#include "spec/duration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Anybody who may log in may do all of this.
constexpr std::array kWays = {spec::Reach::Shell, spec::Reach::Exec, spec::Reach::Cp,
                              spec::Reach::Forward};

Status check_ssh(const Session& session, const job::Plan& plan,
                 const std::vector<job::TaskId>& tasks) {
  for (const spec::Reach way : kWays) {
    MUSTER_TRY_STATUS(check_reach(session, way, plan, tasks));
  }
  return {};
}

/// Returns the user that tasks run as: nobody else can log in.
Result<std::string> user_of_tasks(Session& session, const SshConfigOptions& command,
                                  const std::string& task) {
  ExecPlan plan;
  plan.tasks = {task};
  plan.arguments = {"id", "-un"};
  MUSTER_TRY(plan.wait, spec::parse_duration(command.wait));
  const std::string user = ask_task(session, command.id, command.on, plan).text;
  // The answer is the task's own: in ssh's configuration it must not end quotes, nor name a
  // variable of this machine, whose value ssh would send there.
  const bool plain = !user.empty() && std::ranges::all_of(user, [](char letter) {
    return letter > ' ' && letter < 0x7f && letter != '"' && letter != '%' && letter != '{';
  });
  return plain && user.back() != '\\'
             ? Result<std::string>(user)
             : Result<std::string>(cluster_error(
                   fmt::format("{} does not say which user it runs as (`id -un`)", task)));
}

/// Prepares a word for ssh's configuration, where words may be quoted and % begins a token.
std::string config_word(const std::string& word, bool tokens) {
  std::string text;
  for (const char letter : word) {
    text += letter;
    text += tokens && letter == '%' ? "%" : "";
  }
  return text;
}

struct Blocks {
  const Session& session;
  const cluster::JobFolder& folder;
  std::string user;
  std::string on;

  /// "digits-7f3k2q.worker-0"
  [[nodiscard]] std::string block(const std::string& task) const {
    const std::string job = folder.id().value;
    const SshFiles ssh(folder);
    std::string host = job + "." + task;
    std::ranges::replace(host, ':', '-');
    const std::string proxy = fmt::format("env MUSTER_HOME={} {} ssh-proxy{} {} {}",
                                          shell_quote(session.home.root().string()),
                                          shell_quote(session.program.string()),
                                          on.empty() ? "" : " --on " + shell_quote(on), job, task);
    return fmt::format(
        "Host {}\n"
        "  User \"{}\"\n"
        "  ProxyCommand {}\n"
        "  IdentityFile \"{}\"\n"
        "  IdentitiesOnly yes\n"
        "  HostKeyAlias {}\n"
        "  UserKnownHostsFile \"{}\"\n"
        "  GlobalKnownHostsFile /dev/null\n"
        "  StrictHostKeyChecking yes\n",
        host, user, config_word(proxy, true), config_word(ssh.key().string(), true), job,
        config_word(ssh.known_hosts().string(), true));
  }
};

constexpr std::string_view kBegin = "# muster: ";

/// Returns the managed file without the blocks of this job, or of jobs that are gone.
std::string others(Session& session, const std::filesystem::path& file, const std::string& job) {
  std::string kept;
  bool keep = false;
  const std::string text = session.files->read(file).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(kBegin)) {
      const std::string other(line.substr(kBegin.size()));
      keep = other != job && session.files->exists(session.home.root() / "jobs" / other);
    }
    if (keep && !line.empty()) {
      kept += std::string(line) + "\n";
    }
  }
  return kept;
}

Status write_config(Session& session, const std::string& job, const std::string& blocks) {
  const std::filesystem::path file = session.home.root() / "ssh_config";
  const std::string text = others(session, file, job) + std::string(kBegin) + job + "\n" + blocks;
  MUSTER_TRY_STATUS(session.files->write(file, text, {.mode = 0600}));
  session.console.out(fmt::format("wrote {}\n", file.string()));
  const std::string own = session.environment.find("HOME").value_or("") + "/.ssh/config";
  if (session.files->read(own).value_or("").find(file.string()) == std::string::npos) {
    session.console.out(fmt::format("next: put this line at the beginning of {}:\nInclude \"{}\"\n",
                                    own, file.string()));
  }
  return {};
}

Status configure(Session& session, const SshConfigOptions& command) {
  MUSTER_TRY(const FoundJob job, find_running_job(session, command.id, command.on));
  const job::Plan& plan = job.reading.replayed.machine.plan();
  MUSTER_TRY(const std::vector<job::TaskId> tasks, tasks_or_all(command.tasks, plan));
  MUSTER_TRY_STATUS(check_ssh(session, plan, tasks));
  MUSTER_TRY(const std::string user,
             user_of_tasks(session, command, to_string(plan, tasks.front())));
  MUSTER_TRY_STATUS(make_ssh_files(session, job.folder));
  const Blocks all{session, job.folder, user, command.on};
  std::string blocks;
  for (const job::TaskId task : tasks) {
    blocks += all.block(to_string(plan, task));
  }
  if (command.write) {
    return write_config(session, job.folder.id().value, blocks);
  }
  session.console.out(blocks);
  return {};
}

}  // namespace

int configure_ssh(Session& session, const SshConfigOptions& command) {
  const Status done = configure(session, command);
  return done ? 0 : fail(session.console, done.error());
}

int serve_ssh(Session& session, const SshProxyOptions& command) {
  const Result<FoundJob> job = find_running_job(session, command.id, command.on);
  if (!job) {
    return fail(session.console, job.error());
  }
  const job::Plan& plan = job->reading.replayed.machine.plan();
  const Result<std::vector<job::TaskId>> tasks = tasks_of({command.task}, plan);
  if (!tasks) {
    return fail(session.console, tasks.error());
  }
  if (const Status may = check_ssh(session, plan, *tasks); !may) {
    return fail(session.console, may.error());
  }
  const Result<std::string> preamble = ssh_preamble(session, job->folder);
  if (!preamble) {
    return fail(session.console,
                user_error(fmt::format("{} has no keys for ssh on this machine; muster ssh-config "
                                       "{} makes them",
                                       job->folder.id().value, job->folder.id().value)));
  }
  ExecPlan exec;
  exec.direct = true;
  exec.way = spec::Reach::Shell;
  exec.tasks = {command.task};
  // The program is sent as input, so that the job's log shows one line and not all of it.
  const std::string_view server = kSshServer;
  exec.arguments = {"/bin/sh", "-c", R"sh(IFS= read -r size && eval "$(head -c "$size")")sh",
                    "muster-sshd"};
  exec.preamble = fmt::format("{}\n{}{}", server.size(), server, *preamble);
  return run_in_tasks(session, command.id, command.on, exec);
}

}  // namespace muster::client

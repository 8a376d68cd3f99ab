#include "cluster/local/machine_examination.h"

#include "base/text.h"
#include "job/describe.h"
#include "os/host/hardware.h"
#include "os/process/command.h"

#include <fmt/format.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::cluster::local {
namespace {

using Verdict = Finding::Verdict;

constexpr uint64_t kFreeDiskLow = 1ULL << 30;

Finding home_finding(os::Files& files, const std::filesystem::path& home) {
  Finding finding{Verdict::Good, "home", home.string() + " can be written", {}};
  const std::filesystem::path probe = home / fmt::format(".doctor-{}", getpid());
  Status written = files.make_folders(home, 0700);
  if (written) {
    written = files.write(probe, "probe");
  }
  if (!written) {
    return {Verdict::Bad, "home", written.error().message,
            "jobs are kept there: fix it, or set MUSTER_HOME to a folder you can write to"};
  }
  if (const Status removed = files.remove(probe); !removed) {
    finding = {Verdict::Note, "home", removed.error().message, "remove the file by hand"};
  }
  return finding;
}

Finding disk_finding(os::Files& files, const std::filesystem::path& home) {
  const Result<os::DiskSpace> space = files.disk_space(home);
  if (!space) {
    return {Verdict::Note, "disk", space.error().message, {}};
  }
  const std::string text = fmt::format("{} of {} free under {}", format_bytes(space->free_bytes),
                                       format_bytes(space->total_bytes), home.string());
  if (space->free_bytes < kFreeDiskLow || space->free_inodes < 1000) {
    return {Verdict::Bad, "disk", text,
            "logs and checkpoints need room: `muster clean` removes old jobs"};
  }
  return {Verdict::Good, "disk", text, {}};
}

void add_hardware(std::vector<Finding>& findings) {
  const os::Hardware hardware = os::discover_hardware();
  findings.push_back(
      {Verdict::Good,
       "memory",
       fmt::format("{} of memory, {} available now", format_bytes(hardware.memory_bytes),
                   format_bytes(os::available_memory_bytes())),
       {}});
  findings.push_back({Verdict::Good, "cores", fmt::format("{} cores", hardware.cores), {}});
  if (hardware.gpus.empty()) {
    findings.push_back({Verdict::Note, "gpus", "no GPUs found", {}});
    return;
  }
  std::string names;
  for (const os::Gpu& gpu : hardware.gpus) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", printable(gpu.model),
                         format_bytes(gpu.memory_bytes));
  }
  findings.push_back({Verdict::Good,
                      "gpus",
                      fmt::format("{}: {}", job::count_of(hardware.gpus.size(), "GPU"), names),
                      {}});
}

Finding kernel_finding() {
  const long fd = syscall(SYS_pidfd_open, getpid(), 0);
  if (fd >= 0) {
    close(static_cast<int>(fd));
    return {Verdict::Good, "kernel", "Muster notices the end of a process at once (pidfd)", {}};
  }
  return {Verdict::Note,
          "kernel",
          "this kernel has no pidfd: a thread waits for the end of processes instead",
          {}};
}

Finding claims_finding(os::Files& files, const std::filesystem::path& folder) {
  const std::filesystem::path around = folder.parent_path();
  const Result<os::FileStat> stat = files.stat(around);
  const bool sticky = stat && stat->kind == os::FileKind::Folder && (stat->mode & 01777) == 01777;
  if (!sticky && !(stat && stat->owner == getuid())) {
    return {Verdict::Bad, "claims",
            fmt::format("{} is not a folder that everyone may write to", around.string()),
            fmt::format("ask its owner for `chmod 1777 {}`", shell_quote(around.string()))};
  }
  return {Verdict::Good,
          "claims",
          fmt::format("each user's jobs keep theirs in a folder {}.UID.*", folder.string()),
          {}};
}

/// Asks the python3 on the user's PATH for its version and about each framework. The interpreter
/// starts once and nothing is imported: find_spec only looks up where a module would come from.
constexpr const char* kPythonProbe =
    "import sys, importlib.util as u\n"
    "print(sys.executable)\n"
    "print('.'.join(map(str, sys.version_info[:3])))\n"
    "print(' '.join(m for m in ('tensorflow', 'torch', 'jax', 'sklearn') if u.find_spec(m)))\n";

void add_python(std::vector<Finding>& findings,
                const std::map<std::string, std::string>& environment) {
  os::SpawnOptions options;
  options.argv = {"python3", "-c", kPythonProbe};
  options.env = environment;
  options.stderr_to = os::ToNull{};
  const Result<os::CommandOutput> output =
      os::run_command(std::move(options), std::chrono::seconds(10));
  if (!output || output->exit.code != 0) {
    findings.push_back(
        {Verdict::Note, "python3", "no working python3 on PATH",
         "tasks in Python need one: install it, or activate your environment first"});
    return;
  }
  const std::vector<std::string_view> lines = split(output->stdout_text, '\n');
  const auto line = [&](size_t i) {
    return i < lines.size() ? printable(lines[i]) : std::string();
  };
  findings.push_back({Verdict::Good, "python3", fmt::format("{} ({})", line(0), line(1)), {}});
  findings.push_back(
      line(2).empty()
          ? Finding{Verdict::Note, "frameworks",
                    "python3 finds no tensorflow, torch, jax or sklearn",
                    "activate the environment that has your framework before `muster run`"}
          : Finding{Verdict::Good, "frameworks", "python3 finds " + line(2), {}});
}

}  // namespace

std::vector<Finding> examine_machine(os::Files& files, const ExaminationInput& input) {
  std::vector<Finding> findings;
  findings.push_back(home_finding(files, input.home));
  if (findings.back().verdict != Verdict::Bad) {
    findings.push_back(disk_finding(files, input.home));
  }
  add_hardware(findings);
  findings.push_back(kernel_finding());
  findings.push_back(claims_finding(files, input.claims_folder));
  add_python(findings, input.environment);
  return findings;
}

}  // namespace muster::cluster::local

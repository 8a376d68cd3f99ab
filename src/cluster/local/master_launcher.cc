#include "cluster/local/master_launcher.h"

#include "base/text.h"
#include "cluster/local/job_lock.h"
#include "cluster/local/local_master_starter.h"
#include "cluster/local/ready_line.h"
#include "os/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

/// The client's calls block: they have no loop whose clock they could use.
using Clock = std::chrono::steady_clock;

constexpr size_t kReadyLineMax = 64U << 10;
constexpr uint64_t kLogTailBytes = 2048;

/// Reads one line from a pipe until `deadline`; if the pipe ends first, what came before its end.
Result<std::string> read_line(int fd, Clock::time_point deadline) {
  std::string line;
  while (line.size() < kReadyLineMax) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ready{fd, POLLIN, 0};
    const int polled = ::poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (polled < 0 && errno == EINTR) {
      continue;
    }
    if (polled <= 0) {
      return cluster_error("the master was not ready in time", Errc::DeadlineExceeded);
    }
    char buffer[4096];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) {
      return line;
    }
    line.append(buffer, static_cast<size_t>(got));
    if (line.ends_with('\n')) {
      return line;
    }
  }
  return line;
}

}  // namespace

Result<std::string> MasterLauncher::start(const Submission& submission, const Extras& extras) {
  const JobFolder folder(submission.job_folder);
  MUSTER_TRY(const rt::Fd lock, take_job_lock(folder.master_lock()));
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return system_error(errno, "cannot make a pipe to the master");
  }
  const rt::Fd ready(pipe_fds[0]);
  rt::Fd theirs(pipe_fds[1]);
  os::SpawnOptions spawn;
  spawn.argv = {options_.program.string(),
                "master",
                "--job",
                submission.job_folder.string(),
                "--ready-fd",
                std::to_string(kMasterReadyFd),
                "--lock-fd",
                std::to_string(kMasterLockFd)};
  if (submission.followed) {
    spawn.argv.emplace_back("--followed");
  }
  spawn.argv.insert(spawn.argv.end(), extras.arguments.begin(), extras.arguments.end());
  spawn.env = options_.environment;
  spawn.folder = submission.job_folder;
  spawn.stdout_to = os::ToFile{folder.master_log()};
  spawn.stderr_to = os::ToFile{folder.master_log()};
  spawn.grouping = os::Grouping::NewSession;
  spawn.keep = {{lock.get(), kMasterLockFd}, {theirs.get(), kMasterReadyFd}};
  if (extras.fd >= 0) {
    spawn.keep.push_back({extras.fd, kMasterLinkFd});
  }
  MUSTER_TRY(const os::Spawned spawned, os::spawn(spawn));
  theirs.reset();
  const auto deadline = Clock::now() + options_.start_deadline;
  const Result<std::string> read = read_line(ready.get(), deadline);
  if (!read) {
    // Its job's folder will be removed: nobody could find the job if it still started.
    ::kill(-spawned.pid.value, SIGKILL);
    return read.error();
  }
  const std::string& line = *read;
  if (!line.empty()) {
    return parse_ready_line(line);
  }
  std::string words;
  if (const auto stat = files_.stat(folder.master_log()); stat.has_value()) {
    const uint64_t offset = stat->size_bytes - std::min(stat->size_bytes, kLogTailBytes);
    words = files_.read_part(folder.master_log(), offset, kLogTailBytes).value_or("");
  }
  return bug("the master ended before it was ready: " + printable(trim(words)));
}

}  // namespace muster::cluster::local

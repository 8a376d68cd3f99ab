#include "base/text.h"
#include "client/commands.h"
#include "client/exec_run.h"
#include "client/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

/// One side of a copy.
struct Place {
  std::string job;   ///< Empty: this machine.
  std::string task;  ///< "worker:0", or "chief" for the only one of its role.
  std::string path;
};

/// Reads JOB:TASK:PATH. What begins with / or . is a path of this machine, and so is what has no
/// colon.
Result<Place> place_of(const std::string& text) {
  if (text.starts_with('/') || text.starts_with('.') || text.find(':') == std::string::npos) {
    return Place{.path = text};
  }
  const size_t job_end = text.find(':');
  size_t task_end = text.find(':', job_end + 1);
  if (task_end != std::string::npos) {
    const size_t index_end = std::min(text.find(':', task_end + 1), text.size());
    const std::string index = text.substr(task_end + 1, index_end - task_end - 1);
    const bool is_index =
        !index.empty() && std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
    task_end = is_index ? index_end : task_end;
  }
  if (task_end == std::string::npos || task_end + 1 >= text.size()) {
    return user_error(
        fmt::format("{} does not name a file of a task; write JOB:TASK:PATH, as in "
                    "last:worker:0:model.pt, or ./NAME for a file here",
                    printable(text)));
  }
  return Place{.job = text.substr(0, job_end),
               .task = text.substr(job_end + 1, task_end - job_end - 1),
               .path = text.substr(task_end + 1)};
}

/// Runs in the task with the file's path as $1; says what the path is if it is no plain file.
constexpr const char* kRead = R"sh(p=$1
if [ -L "$p" ]; then echo "muster: $p is a symbolic link; name the file itself" >&2; exit 2
elif [ -d "$p" ]; then echo "muster: $p is a folder; only files are copied" >&2; exit 2
elif [ ! -e "$p" ]; then echo "muster: $p does not exist in the task" >&2; exit 2
elif [ ! -f "$p" ]; then echo "muster: $p is not a plain file" >&2; exit 2
fi
exec cat < "$p")sh";

/// The same with the target as $1, the source's name as $2 and its size as $3. The target has its
/// new content only when all of it is there.
constexpr const char* kWrite = R"sh(p=$1
[ ! -d "$p" ] || p=${p%/}/$2
if [ -L "$p" ]; then echo "muster: $p is a symbolic link; name the file itself" >&2; exit 2
elif [ -e "$p" ] && [ ! -f "$p" ]; then echo "muster: $p is not a plain file" >&2; exit 2
fi
part=$p.muster-$$
trap 'rm -f "$part"; exit 1' HUP INT TERM
if cat > "$part" && [ "$(wc -c < "$part")" -eq "$3" ] && mv -f "$part" "$p";
then exit 0; fi
rm -f "$part"
echo "muster: $p could not be written whole" >&2
exit 1)sh";

/// A relative path in a task that begins with - is not an option.
std::string plain(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

int run_script(Session& session, const Place& there, const std::string& on, ExecPlan plan,
               const char* script, const std::vector<std::string>& words) {
  plan.tasks = {there.task};
  plan.arguments = {"/bin/sh", "-c", script, "muster-cp"};
  plan.arguments.insert(plan.arguments.end(), words.begin(), words.end());
  return run_in_tasks(session, there.job, on, plan);
}

Error not_plain(const fs::path& path) {
  return user_error(
      fmt::format("{} is not a plain file; only files are copied", printable(path.string())));
}

int copy_here(Session& session, const Place& from, const fs::path& to, const std::string& on) {
  std::error_code ignored;
  const fs::path target = fs::is_directory(to, ignored) ? to / fs::path(from.path).filename() : to;
  const fs::file_status there = fs::symlink_status(target, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    return fail(session.console, not_plain(target));
  }
  std::string part = target.string() + ".muster-XXXXXX";
  const int file = ::mkostemp(part.data(), O_CLOEXEC);
  if (file < 0) {
    return fail(session.console,
                system_error(errno, fmt::format("cannot write {}", printable(target.string()))));
  }
  ExecPlan plan;
  plan.reads_input = false;
  plan.output = file;
  int status = run_script(session, from, on, plan, kRead, {plain(from.path)});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool kept = ::fchmod(file, 0666 & ~mask) == 0 && ::close(file) == 0;
  if (status == 0 && (!kept || ::rename(part.c_str(), target.c_str()) != 0)) {
    status = fail(session.console,
                  system_error(errno, fmt::format("cannot write {}", printable(target.string()))));
  }
  if (status != 0) {
    ::unlink(part.c_str());
  }
  if (status == kReaderGone) {
    return fail(session.console, Error{Errc::OutOfSpace, Blame::User,
                                       fmt::format("cannot write all of {}; is the disk full?",
                                                   printable(target.string()))});
  }
  return status;
}

int copy_there(Session& session, const fs::path& from, const Place& to, const std::string& on) {
  const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0) {
    return fail(
        session.console,
        user_error(
            system_error(errno, fmt::format("cannot read {}", printable(from.string()))).message));
  }
  std::error_code ignored;
  int outcome = 0;
  if (!S_ISREG(status.st_mode) || fs::is_symlink(from, ignored)) {
    outcome = fail(session.console, not_plain(from));
  } else {
    ExecPlan plan;
    plan.input = file;
    outcome =
        run_script(session, to, on, plan, kWrite,
                   {plain(to.path), from.filename().string(), std::to_string(status.st_size)});
  }
  ::close(file);
  return outcome;
}

}  // namespace

int copy_files(Session& session, const CopyOptions& command) {
  if (command.paths.size() < 2) {
    return fail(session.console, user_error("name what to copy and where to, as in muster cp "
                                            "last:worker:0:model.pt ."));
  }
  std::vector<Place> places;
  for (const std::string& text : command.paths) {
    Result<Place> place = place_of(text);
    if (!place) {
      return fail(session.console, place.error());
    }
    places.push_back(*std::move(place));
  }
  const Place target = std::move(places.back());
  places.pop_back();
  const bool there = !target.job.empty();
  if (std::ranges::any_of(places, [&](const Place& each) { return each.job.empty() != there; })) {
    return fail(session.console, user_error("one side must be a task's (JOB:TASK:PATH), the other "
                                            "this machine's"));
  }
  std::error_code ignored;
  if (places.size() > 1 && !there && !fs::is_directory(target.path, ignored)) {
    return fail(session.console, user_error(fmt::format("{} is not a folder, but several files go "
                                                        "there",
                                                        printable(target.path))));
  }
  for (const Place& each : places) {
    const int status = there ? copy_there(session, each.path, target, command.on)
                             : copy_here(session, each, target.path, command.on);
    if (status != 0) {
      return status;
    }
  }
  return 0;
}

}  // namespace muster::client

#include "base/text.h"
#include "client/commands.h"
#include "client/reach/copy_place.h"
#include "client/reach/copy_tree.h"
#include "client/reach/exec_run.h"
#include "client/reach/part_file.h"
#include "client/show/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

/// Runs in the task with the file's path as $1; says what the path is if it is no plain file.
constexpr const char* kRead = R"sh(p=$1
if [ -d "$p" ]; then echo "muster: $p is a folder; copy it with -r" >&2; exit 2
elif [ -L "$p" ] && [ ! -e "$p" ]; then
  echo "muster: $p is a symbolic link to nothing" >&2; exit 2
elif [ ! -e "$p" ]; then not_found "$p" " in the task"
elif [ ! -f "$p" ]; then echo "muster: $p is not a plain file" >&2; exit 2
fi
cat < "$p" || exit
printf %5s "$(stat -L -c %a -- "$p" 2> /dev/null)")sh";

/// At the end of what kRead writes: the file's permissions in octal; blank where the task has no
/// stat.
constexpr size_t kModeBytes = 5;

/// The same with the target as $1, the source's name as $2, its size as $3 and its permissions as
/// $4. The target has its new content only when all of it is there, and until then nobody else sees
/// it.
constexpr const char* kWrite = R"sh(p=$1
[ ! -d "$p" ] || p=${p%/}/$2
if [ -L "$p" ]; then echo "muster: $p is a symbolic link; name the file itself" >&2; exit 2
elif [ -e "$p" ] && [ ! -f "$p" ]; then echo "muster: $p is not a plain file" >&2; exit 2
fi
case $p in */*) folder=${p%/*}/ ;; *) folder=. ;; esac
if [ ! -d "$folder" ]; then echo "muster: the task has no folder ${folder%/}" >&2; exit 2; fi
# The longest name that there can be has no room for more.
name=${p##*/}
if [ "${#name}" -le 60 ]; then part=$p.muster-$$; else part=${folder%/}/.muster-file-$$; fi
trap 'rm -f "$part"; exit 1' HUP INT TERM
old=
[ ! -e "$p" ] || old=$(stat -c %a -- "$p" 2> /dev/null)
mode=${old:-$(printf %o "$((0$4 & ~$(umask)))")}
umask 077
if cat > "$part" && [ "$(wc -c < "$part")" -eq "$3" ] &&
  chmod "$mode" "$part" && mv -f "$part" "$p"; then exit 0; fi
rm -f "$part"
echo "muster: $p could not be written whole" >&2
exit 1)sh";

Error not_plain(const fs::path& path) {
  std::error_code ignored;
  return user_error(fs::is_directory(path, ignored)
                        ? fmt::format("{} is a folder; copy it with -r", printable(path.string()))
                        : fmt::format("{} is not a plain file; only files are copied, and folders "
                                      "with -r",
                                      printable(path.string())));
}

/// Says on a terminal how far a copy is, some times a second.
class CopyProgress {
 public:
  explicit CopyProgress(Console& console) : console_(console) {}
  ~CopyProgress() { console_.status(""); }
  CopyProgress(const CopyProgress&) = delete;
  CopyProgress& operator=(const CopyProgress&) = delete;

  void begin(std::string what) {
    what_ = std::move(what);
    bytes_ = 0;
    began_ = Clock::now();
  }
  void moved(size_t bytes) {
    bytes_ += bytes;
    const Clock::time_point now = Clock::now();
    if (now - told_ < std::chrono::milliseconds(200)) {
      return;
    }
    told_ = now;
    const auto took = std::chrono::duration<double>(now - began_).count();
    const auto rate = static_cast<uint64_t>(static_cast<double>(bytes_) / std::max(took, 0.001));
    console_.status(
        fmt::format("{}: {}, {}/s", printable(what_), format_bytes(bytes_), format_bytes(rate)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Console& console_;
  std::string what_;
  uint64_t bytes_ = 0;
  Clock::time_point began_{};
  Clock::time_point told_{};
};

/// Of a file in a task, from the end of what came of it.
mode_t permissions_of(std::string_view end) {
  mode_t mode = 0;
  const std::string_view octal = trim(end);
  const auto read = std::from_chars(octal.begin(), octal.end(), mode, 8);
  return octal.empty() || read.ec != std::errc{} || read.ptr != octal.end() ? 0666 : mode;
}

int copy_here(Session& session, const CopyPlace& from, const fs::path& to, const std::string& on,
              ExecPlan plan) {
  std::error_code ignored;
  const fs::path target = fs::is_directory(to, ignored) ? to / fs::path(from.path).filename() : to;
  const fs::file_status there = fs::symlink_status(target, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    return fail(session.console, not_plain(target));
  }
  Result<PartFile> part = PartFile::create({.target = target});
  if (!part) {
    return fail(session.console, part.error());
  }
  plan.reads_input = false;
  plan.output = part->fd();
  int status = run_copy_script(session, from, on, plan, kRead, {plain_path(from.path)});
  if (status == 0) {
    const Status kept = part->keep(permissions_of(part->take_end(kModeBytes)));
    status = kept ? 0 : fail(session.console, kept.error());
  }
  if (status == kReaderGone) {
    return fail(session.console, Error{Errc::OutOfSpace, Blame::User,
                                       fmt::format("cannot write all of {}; is the disk full?",
                                                   printable(target.string()))});
  }
  return status;
}

int copy_there(Session& session, const fs::path& from, const CopyPlace& to, const std::string& on,
               ExecPlan plan) {
  const int file = ::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0) {
    return fail(
        session.console,
        user_error(
            system_error(errno, fmt::format("cannot read {}", printable(from.string()))).message));
  }
  int outcome = 0;
  if (!S_ISREG(status.st_mode)) {
    outcome = fail(session.console, not_plain(from));
  } else {
    plan.input = file;
    outcome = run_copy_script(
        session, to, on, plan, kWrite,
        {plain_path(to.path), from.filename().string(), std::to_string(status.st_size),
         fmt::format("{:o}", status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO))});
  }
  ::close(file);
  return outcome;
}

/// Copies one thing to or from one task. `to` is a folder where several come together.
int copy_one(Session& session, const CopyPlace& from, const CopyPlace& to,
             const CopyOptions& command, const ExecPlan& plan) {
  if (command.recursive) {
    return to.job.empty() ? copy_tree_here(session, from, to.path, command.on, plan)
                          : copy_tree_there(session, from.path, to, command.on, plan);
  }
  return to.job.empty() ? copy_here(session, from, to.path, command.on, plan)
                        : copy_there(session, from.path, to, command.on, plan);
}

/// Where the copy from one of several tasks goes: a folder of its own.
Result<CopyPlace> folder_of_task(const CopyPlace& task, const CopyPlace& to) {
  const fs::path folder = fs::path(to.path) / file_name_of(task);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    return user_error(system_error(failed.value(), fmt::format("cannot make the folder {}",
                                                               printable(folder.string())))
                          .message);
  }
  return CopyPlace{.job = {}, .task = {}, .path = folder.string()};
}

/// Copies one of the things that were named, from or to each task that is meant.
int copy_named(Session& session, const CopyPlace& from, const CopyPlace& to,
               const CopyOptions& command, CopyProgress& progress) {
  ExecPlan plan;
  plan.direct = true;
  plan.moved = [&progress](size_t bytes) { progress.moved(bytes); };
  const bool there = !to.job.empty();
  const Result<std::vector<CopyPlace>> tasks = each_task(session, there ? to : from, command.on);
  if (!tasks) {
    return fail(session.console, tasks.error());
  }
  int outcome = 0;
  for (const CopyPlace& task : *tasks) {
    progress.begin(task.task + ":" + task.path);
    int status = 0;
    if (!there && tasks->size() > 1) {
      const Result<CopyPlace> folder = folder_of_task(task, to);
      status = folder ? copy_one(session, task, *folder, command, plan)
                      : fail(session.console, folder.error());
      std::error_code ignored;
      fs::remove(fs::path(to.path) / file_name_of(task), ignored);  // Only if it is empty.
    } else {
      status = there ? copy_one(session, from, task, command, plan)
                     : copy_one(session, task, to, command, plan);
    }
    if (status != 0 && tasks->size() > 1) {
      session.console.err(fmt::format("muster: {} was not copied\n", task.task));
    }
    outcome = outcome == 0 ? status : outcome;
    if (status > 128) {
      break;  // Somebody wants to leave.
    }
  }
  return outcome;
}

}  // namespace

int copy_files(Session& session, const CopyOptions& command) {
  if (command.paths.size() < 2) {
    return fail(session.console, user_error("name what to copy and where to, as in muster cp "
                                            "last:worker:0:model.pt ."));
  }
  std::vector<CopyPlace> places;
  for (const std::string& text : command.paths) {
    Result<CopyPlace> place = copy_place_of(text);
    if (!place) {
      return fail(session.console, place.error());
    }
    places.push_back(*std::move(place));
  }
  const CopyPlace target = std::move(places.back());
  places.pop_back();
  const bool there = !target.job.empty();
  if (std::ranges::any_of(places,
                          [&](const CopyPlace& each) { return each.job.empty() != there; })) {
    return fail(session.console, user_error("one side must be a task's (JOB:TASK:PATH), the other "
                                            "this machine's"));
  }
  std::error_code ignored;
  if (places.size() > 1 && !there && !fs::is_directory(target.path, ignored)) {
    return fail(session.console, user_error(fmt::format("{} is not a folder, but several files go "
                                                        "there",
                                                        printable(target.path))));
  }
  CopyProgress progress(session.console);
  for (const CopyPlace& each : places) {
    const int status = copy_named(session, each, target, command, progress);
    if (status != 0) {
      return status;
    }
  }
  return 0;
}

}  // namespace muster::client

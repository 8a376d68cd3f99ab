#include "base/text.h"
#include "client/commands.h"
#include "client/reach/copy_place.h"
#include "client/reach/copy_tree.h"
#include "client/reach/exec_run.h"
#include "client/reach/part_file.h"
#include "client/show/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  echo "muster: $p is a dangling symbolic link" >&2; exit 2
elif [ ! -e "$p" ]; then not_found "$p" " in the task"
elif [ ! -f "$p" ]; then echo "muster: $p is not a plain file" >&2; exit 2
fi
exec 3< "$p" || exit
tell() { stat -L -c "$1" -- /proc/self/fd/3 2> /dev/null; }
size=$(tell %s)
room=$(($(tell '%b * %B') + 0))
[ "${size:-0}" -lt $((room + (1 << 30))) ] ||
  echo "muster: $p takes $((room >> 20)) MiB on disk, its copy $((size >> 20)) MiB:" \
    "holes are copied as zeros" >&2
# head reads 8 KiB at a time, which takes three times the work; a small file is not worth asking.
pieces() { dd bs=131072 iflag=fullblock,count_bytes status=none count="$1"; }
if [ "${size:-0}" -gt 1000000 ] && pieces 0 < /dev/null > /dev/null 2>&1; then pieces "$size" <&3
elif [ "${size:-0}" -gt 0 ] && command -v head > /dev/null 2>&1; then head -c "$size" <&3
else cat <&3
fi || exit 1
printf %5s%20s%20s "$(tell %a)" "$size" "$(tell %s)")sh";

/// Its exit status if the file is there but cannot be read.
constexpr int kReadBroke = 1;

/// kRead writes this at its end: the file's permissions in octal, then its size at the beginning
/// and at the end; blank if the task has no stat.
constexpr size_t kModeBytes = 5;
constexpr size_t kSizeBytes = 20;
constexpr size_t kEndBytes = kModeBytes + 2 * kSizeBytes;

/// Runs in the task with the target as $1, the source's name as $2, its size as $3 and its
/// permissions as $4. The target gets its new content only when all of it is there, and until then
/// nobody else sees it. The part that grows is a new file: nobody who may write to the folder can
/// redirect it with a link of that name.
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
rm -f "$part"
set -C
if cat > "$part"; then
  came=$(wc -c < "$part")
  if [ "$came" -eq "$3" ]; then
    chmod "$mode" "$part" && mv -f "$part" "$p" && exit 0
  else
    echo "muster: only" $came "of the $3 bytes for $p arrived" >&2
  fi
fi
rm -f "$part"
echo "muster: $p could not be written completely" >&2
exit 1)sh";

Error not_plain(const fs::path& path) {
  std::error_code ignored;
  return user_error(fs::is_directory(path, ignored)
                        ? fmt::format("{} is a folder; copy it with -r", printable(path.string()))
                        : fmt::format("{} is not a plain file; only files are copied, and folders "
                                      "with -r",
                                      printable(path.string())));
}

/// Shows on a terminal how far a copy is, a few times a second.
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

template <class Number>
std::optional<Number> told_number(std::string_view text, int base) {
  Number number = 0;
  const std::string_view digits = trim(text);
  const auto read = std::from_chars(digits.begin(), digits.end(), number, base);
  return digits.empty() || read.ec != std::errc{} || read.ptr != digits.end()
             ? std::nullopt
             : std::optional(number);
}

/// What was known about a file while it was read.
struct FileRead {
  mode_t permissions = 0666;
  std::optional<uint64_t> first_size;
  std::optional<uint64_t> last_size;
};

/// Reads the end of what kRead wrote.
FileRead file_read_of(std::string_view end) {
  const auto part = [end](size_t from, size_t size) {
    return end.substr(std::min(from, end.size()), size);
  };
  return {.permissions = told_number<mode_t>(part(0, kModeBytes), 8).value_or(0666),
          .first_size = told_number<uint64_t>(part(kModeBytes, kSizeBytes), 10),
          .last_size = told_number<uint64_t>(part(kModeBytes + kSizeBytes, kSizeBytes), 10)};
}

/// Judges a file that others wrote while it was copied: says what that did to the copy, which has
/// the first `copied` bytes. Error: the copy is no state that the file ever was in.
Status judge_change(Console& console, std::string_view name, uint64_t first_size,
                    uint64_t last_size, uint64_t copied) {
  if (last_size < first_size) {
    return user_error(
        fmt::format("{} became shorter while it was read, {} instead of {}, and was not copied; "
                    "copy it again when nobody writes to it",
                    printable(name), format_bytes(last_size), format_bytes(first_size)));
  }
  if (last_size > first_size) {
    console.err(fmt::format("muster: {} has grown while it was read; the copy has its first {}\n",
                            printable(name), format_bytes(copied)));
  }
  return {};
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
  const std::string name = from.task + ":" + from.path;
  if (status == 0) {
    const FileRead read = file_read_of(part->take_end(kEndBytes));
    const Status whole = read.first_size && read.last_size
                             ? judge_change(session.console, name, *read.first_size,
                                            *read.last_size, part->size_bytes())
                             : Status();
    const Status kept = whole ? part->keep(read.permissions) : whole;
    status = kept ? 0 : fail(session.console, kept.error());
  } else if (status == kReadBroke) {
    session.console.err(fmt::format(
        "muster: {} cannot be read to its end: only {} arrived, so nothing was written\n",
        printable(name), format_bytes(part->size_bytes())));
  }
  if (status == kReaderGone) {
    return fail(session.console, Error{Errc::OutOfSpace, Blame::User,
                                       fmt::format("cannot write all of {}; is the disk full?",
                                                   printable(target.string()))});
  }
  return status;
}

uint64_t file_size_of(const struct stat& status) { return static_cast<uint64_t>(status.st_size); }

/// Says the same about a file here as kRead does about one in a task.
void tell_holes(Console& console, const fs::path& path, const struct stat& status) {
  constexpr uint64_t kToldBytes = 1ULL << 30;
  constexpr uint64_t kBlockBytes = 512;
  constexpr uint32_t kMiBShift = 20;
  const uint64_t size = file_size_of(status);
  const uint64_t room = static_cast<uint64_t>(status.st_blocks) * kBlockBytes;
  if (size >= room + kToldBytes) {
    console.err(
        fmt::format("muster: {} takes {} MiB on disk, its copy {} MiB: holes are copied as zeros\n",
                    printable(path.string()), room >> kMiBShift, size >> kMiBShift));
  }
}

/// The kernel's own files have no size, and may have no end.
Status check_size(int file, const fs::path& path) {
  std::array<char, 1> byte{};
  struct stat status{};
  const ssize_t got = ::pread(file, byte.data(), byte.size(), 0);
  if (got < 0) {
    return user_error(
        system_error(errno, fmt::format("cannot read {}", printable(path.string()))).message);
  }
  if (got > 0 && ::fstat(file, &status) == 0 && status.st_size == 0) {
    return user_error(fmt::format(
        "{} has no size, like other files of the kernel; copy its content to a plain file first",
        printable(path.string())));
  }
  return {};
}

/// The same as judge_change(), for a file here whose copy ended with `outcome`.
void tell_change(Session& session, const fs::path& from, int outcome, uint64_t first_size,
                 uint64_t last_size) {
  // A file that became shorter only after all of it had been read was copied whole.
  const bool copied = outcome == 0;
  if (copied ? last_size < first_size : last_size >= first_size) {
    return;
  }
  const Status whole =
      judge_change(session.console, from.string(), first_size, last_size, first_size);
  if (!whole) {
    (void)fail(session.console, whole.error());
  }
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
  } else if (const Status sized = check_size(file, from); !sized) {
    outcome = fail(session.console, sized.error());
  } else {
    const uint64_t size = file_size_of(status);
    tell_holes(session.console, from, status);
    plan.input = file;
    plan.input_bytes_max = size;
    outcome =
        run_copy_script(session, to, on, plan, kWrite,
                        {plain_path(to.path), from.filename().string(), std::to_string(size),
                         fmt::format("{:o}", status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO))});
    if (::fstat(file, &status) == 0) {
      tell_change(session, from, outcome, size, file_size_of(status));
    }
  }
  ::close(file);
  return outcome;
}

/// Copies one thing to or from one task. `to` is a folder if several things are copied into it.
int copy_one(Session& session, const CopyPlace& from, const CopyPlace& to,
             const CopyOptions& command, const ExecPlan& plan) {
  if (command.recursive) {
    return to.job.empty() ? copy_tree_here(session, from, to.path, command.on, plan)
                          : copy_tree_there(session, from.path, to, command.on, plan);
  }
  return to.job.empty() ? copy_here(session, from, to.path, command.on, plan)
                        : copy_there(session, from.path, to, command.on, plan);
}

/// Returns where the copy from one of several tasks goes: a folder of its own.
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

/// Copies one of the named things, from or to each task that is meant.
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
    return fail(
        session.console,
        user_error("one side must be in a task (JOB:TASK:PATH), the other on this machine"));
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

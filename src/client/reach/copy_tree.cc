#include "client/reach/copy_tree.h"

#include "base/text.h"
#include "client/reach/part_file.h"
#include "client/show/failure.h"
#include "os/process/spawn.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

/// Functions for the scripts: not_found PATH WHERE ends a script after saying that nothing is at
/// this path, or that it may not be looked at.
constexpr std::string_view kFunctions = R"sh(not_found() {
  case $(LC_ALL=C ls -d -- "$1" 2>&1) in
    *"Permission denied") echo "muster: no permission to look for $1$2" ;;
    *) echo "muster: $1 does not exist$2" ;;
  esac >&2
  exit 2
}
)sh";

std::string with_functions(std::string_view script) {
  return std::string(kFunctions) + std::string(script);
}

/// Runs where the source is, with its path as $1: writes an archive with one entry, named as the
/// source, to standard output. A file that changes while it is read is nobody's mistake. tar itself
/// walks through the folders, because it follows no link that somebody puts in a folder's place;
/// anything else that it finds there is for the reader to leave out.
constexpr const char* kSend = R"sh(p=$1
[ -e "$p" ] || [ -L "$p" ] || not_found "$p" "$2"
for tool in tar find; do
  command -v "$tool" > /dev/null 2>&1 ||
    { echo "muster: folders need $tool, which is not$2: install it, or copy files" >&2; exit 2; }
done
if [ -d "$p" ] && [ ! -L "$p" ]; then
  cd -P -- "$p" || exit 2
  p=$PWD
  [ "$p" != / ] || { echo "muster: / cannot be copied; name a folder in it" >&2; exit 2; }
fi
name=${p##*/}
case $p in */*) cd -- "${p%/*}/" || exit 2 ;; esac
find "./$name" ! -type f ! -type d ! -type l -exec sh -c 'for each do
  echo "muster: left out $each: it is not a file, a folder or a link" >&2; done' sh {} +
tar -cf - "./$name"
s=$?
[ "$s" -ne 1 ] || s=0
exit "$s")sh";

/// Runs where the target is: reads the archive into a hidden folder with the name $2 beside the
/// target ($1). $3 is the name of the source, if that is known.
constexpr const char* kStage = R"sh(p=$1
if [ -d "$p" ]; then d=$p; final=${p%/}/$3
else case $p in */*) d=${p%/*}/ ;; *) d=. ;; esac; final=$p; fi
[ -d "$d" ] || { echo "muster: $d is not a folder in the task" >&2; exit 2; }
if [ -d "$final" ] || [ -L "$final" ]; then
  echo "muster: $final already exists in the task; remove it, or name another target" >&2
  exit 2
fi
command -v tar > /dev/null 2>&1 ||
  { echo "muster: folders need tar, which is not in the task: install it" >&2; exit 2; }
part=${d%/}/$2
trap 'rm -rf -- "$part"; exit 1' HUP INT TERM
mkdir -m 700 -- "$part" || exit 1
if tar -xf - --no-same-owner -C "$part"; then
  ! command -v find > /dev/null 2>&1 ||
    find "$part" ! -type f ! -type d ! -type l -exec rm -f -- {} +
  exit 0
fi
rm -rf -- "$part"
echo "muster: $final could not be written completely" >&2
exit 1)sh";

/// Gives its name to what was read if $4 is `yes`; else removes it.
constexpr const char* kCommit = R"sh(p=$1
if [ -d "$p" ]; then d=$p; final=${p%/}/$3
else case $p in */*) d=${p%/*}/ ;; *) d=. ;; esac; final=$p; fi
part=${d%/}/$2
if [ "$4" = yes ]; then
  if [ ! -d "$final" ] && [ ! -L "$final" ] && mv -f -- "$part/$3" "$final"; then
    rmdir -- "$part"; exit 0; fi
  echo "muster: $final could not be written" >&2
fi
rm -rf -- "$part"
[ "$4" != yes ])sh";

constexpr std::string_view kHidden = ".muster-cp-";
/// How the names of this program's own folders begin; those in the task only begin with the common
/// part.
constexpr std::string_view kHiddenHere = ".muster-cp-here-";

/// Makes the name under which a copy grows.
std::string hidden_name(std::string_view beginning) {
  std::random_device random;  // lint: allow(random) only a name that nobody else has
  return fmt::format("{}{:08x}{:08x}", beginning, random(), random());
}

rt::Fd open_folder(const fs::path& folder) {
  return rt::Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// A hidden folder for this user alone, removed in the end. What a killed copy has left behind is
/// removed by the next copy in the same place: a folder is locked while somebody uses it.
class Scratch {
 public:
  /// Errors have errno's words.
  static Result<Scratch> create(const fs::path& beside) {
    remove_remains(beside);
    for (int i = 0; i < kTries; ++i) {
      Scratch scratch(beside / hidden_name(kHiddenHere));
      if (::mkdir(scratch.folder_.c_str(), S_IRWXU) != 0) {
        const int error = errno;
        scratch.folder_.clear();
        return user_error(
            system_error(error, fmt::format("cannot write to {}", printable(beside.string())))
                .message);
      }
      scratch.lock_ = open_folder(scratch.folder_);
      if (scratch.lock_.valid() && lock_new(scratch.lock_.get())) {
        return scratch;
      }
    }
    return cluster_error("other copies keep removing what this one makes");
  }
  ~Scratch() {
    std::error_code ignored;
    if (!folder_.empty()) {
      fs::remove_all(folder_, ignored);
    }
  }
  Scratch(Scratch&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), lock_(std::move(other.lock_)) {}
  Scratch& operator=(Scratch&&) = delete;
  [[nodiscard]] const fs::path& path() const { return folder_; }

 private:
  static constexpr int kTries = 100;

  explicit Scratch(fs::path folder) : folder_(std::move(folder)) {}

  static void remove_remains(const fs::path& beside) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(beside, failed)) {
      if (!entry.path().filename().string().starts_with(kHiddenHere)) {
        continue;
      }
      const rt::Fd folder = open_folder(entry.path());
      if (folder.valid() && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) {
        fs::remove_all(entry.path(), failed);
      }
    }
  }

  fs::path folder_;
  rt::Fd lock_;
};

Result<os::Spawned> start_here(const std::vector<std::string>& words, os::Stdio in, os::Stdio out) {
  os::SpawnOptions options;
  options.argv = words;
  options.env = os::own_environment();
  options.stdin_from = std::move(in);
  options.stdout_to = std::move(out);
  // Ctrl-C is for the session; this process hears of the session's end.
  options.grouping = os::Grouping::NewGroup;
  options.parent_death_signal = SIGKILL;
  return os::spawn(options);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool is_real_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

Error exists_already(const fs::path& path) {
  return user_error(
      fmt::format("{} already exists; remove it, or name another target", printable(path.string())),
      Errc::AlreadyExists);
}

/// Returns the one thing that arrived, without anything that is not a file, a folder or a link;
/// nothing else may have arrived.
Result<fs::path> what_came(const fs::path& folder) {
  std::error_code failed;
  std::optional<fs::path> found;
  std::vector<fs::path> others;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    const fs::file_type type = entry.symlink_status(failed).type();
    if (type != fs::file_type::regular && type != fs::file_type::directory &&
        type != fs::file_type::symlink) {
      others.push_back(entry.path());
      continue;
    }
    if (entry.path().parent_path() == folder) {
      if (found) {
        return cluster_error("the task sent more than was asked for");
      }
      found = entry.path();
    }
  }
  for (const fs::path& other : others) {
    std::error_code kept;
    fs::remove(other, kept);
    failed = kept ? kept : failed;
  }
  if (failed || !found) {
    return cluster_error("the task sent nothing");
  }
  return *found;
}

/// Returns the name in `path`, as the user typed it; "" if that only names a folder's place.
std::string asked_name(std::string path) {
  while (path.ends_with('/')) {
    path.pop_back();
  }
  const std::string name = fs::path(path).filename().string();
  return name == "." || name == ".." ? std::string() : name;
}

/// Returns the name of what arrived, in a folder of the user's. A task that sends something else
/// than was asked for must not choose what it replaces. So the name is the one that was asked for;
/// if none was, it is the name of a folder, which replaces nothing, and not one that programs read
/// by themselves.
Result<std::string> name_of(const fs::path& came, const std::string& asked) {
  if (!asked.empty()) {
    return asked;
  }
  std::string name = came.filename().string();
  if (!is_real_folder(came) || name.starts_with('.')) {
    return cluster_error(fmt::format(
        "the task sent {} where a folder was asked for; name the folder, or another target",
        printable(name)));
  }
  return name;
}

Status give_name(const fs::path& from, const fs::path& to) {
  const unsigned flags = is_real_folder(from) || is_real_folder(to) ? RENAME_NOREPLACE : 0U;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0) {
    return {};
  }
  if (errno == EEXIST || errno == ENOTDIR || errno == EISDIR) {
    return exists_already(to);
  }
  return system_error(errno, fmt::format("cannot write {}", printable(to.string())));
}

}  // namespace

std::string plain_path(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

int run_copy_script(Session& session, const CopyPlace& there, const std::string& on, ExecPlan plan,
                    const char* script, const std::vector<std::string>& words) {
  plan.way = spec::Reach::Cp;
  plan.direct = true;
  plan.plain_errors = true;
  plan.tasks = {there.task};
  plan.arguments = {"/bin/sh", "-c", with_functions(script), "muster-cp"};
  plan.arguments.insert(plan.arguments.end(), words.begin(), words.end());
  return run_in_tasks(session, there.job, on, plan);
}

int copy_tree_here(Session& session, const CopyPlace& from, const fs::path& to,
                   const std::string& on, const ExecPlan& plan) {
  std::error_code ignored;
  const bool into = fs::is_directory(to, ignored);
  fs::path target = fs::absolute(to, ignored).lexically_normal();
  target = target.has_filename() ? target : target.parent_path();
  const fs::path beside = into ? to : target.parent_path();
  if (!fs::is_directory(beside, ignored)) {
    return fail(session.console,
                user_error(fmt::format("{} is not a folder here", printable(beside.string()))));
  }
  const Result<Scratch> scratch = Scratch::create(beside);
  if (!scratch) {
    return fail(session.console, scratch.error());
  }
  Result<os::Spawned> reader = start_here({"tar", "-xf", "-", "--no-same-owner",
                                           "--no-same-permissions", "-C", scratch->path().string()},
                                          os::ToPipe{}, os::ToNull{});
  if (!reader) {
    return fail(session.console, user_error("folders need tar, and there is none on this machine; "
                                            "install it, or copy single files"));
  }
  ExecPlan reading = plan;
  reading.reads_input = false;
  reading.output = reader->stdin_pipe.get();
  int status =
      run_copy_script(session, from, on, reading, kSend, {plain_path(from.path), " in the task"});
  if (status != 0) {
    (void)::kill(reader->pid.value, SIGKILL);  // It has nothing to add to the reason.
  }
  reader->stdin_pipe = rt::Fd();
  const Result<os::Exit> exit = os::reap(reader->pid);
  const bool whole = exit.has_value() && exit->code == 0;
  if (status == kReaderGone || (status == 0 && !whole)) {
    return fail(session.console,
                Error{Errc::OutOfSpace, Blame::User,
                      fmt::format("cannot write all of it to {}; is the disk full?",
                                  printable(beside.string()))});
  }
  if (status != 0) {
    return status;
  }
  const Result<fs::path> came = what_came(scratch->path());
  if (!came) {
    return fail(session.console, came.error());
  }
  const Result<std::string> name = name_of(*came, asked_name(from.path));
  if (into && !name) {
    return fail(session.console, name.error());
  }
  const Status named = give_name(*came, into ? to / *name : target);
  return named ? 0 : fail(session.console, named.error());
}

int copy_tree_there(Session& session, const fs::path& from, const CopyPlace& to,
                    const std::string& on, const ExecPlan& plan) {
  if (!is_there(from)) {
    return fail(session.console,
                user_error(fmt::format("{} does not exist", printable(from.string()))));
  }
  std::error_code ignored;
  const bool folder = is_real_folder(from);
  const std::string name =
      (folder ? fs::canonical(from, ignored) : fs::absolute(from, ignored)).filename().string();
  Result<os::Spawned> writer = start_here({"/bin/sh", "-c", with_functions(kSend), "muster-cp",
                                           plain_path(from.string()), " on this machine"},
                                          os::ToNull{}, os::ToPipe{});
  if (!writer) {
    return fail(session.console, writer.error());
  }
  const std::string hidden = hidden_name(kHidden);
  ExecPlan sending = plan;
  sending.input = writer->stdout_pipe.get();
  const int sent =
      run_copy_script(session, to, on, sending, kStage, {plain_path(to.path), hidden, name});
  writer->stdout_pipe = rt::Fd();
  const Result<os::Exit> exit = os::reap(writer->pid);
  if (sent != 0) {
    return sent;
  }
  // Only here is it known whether everything was sent.
  const bool whole = exit.has_value() && exit->code == 0;
  ExecPlan last = plan;
  last.reads_input = false;
  last.moved = nullptr;
  const int committed = run_copy_script(session, to, on, last, kCommit,
                                        {plain_path(to.path), hidden, name, whole ? "yes" : "no"});
  return whole              ? committed
         : exit.has_value() ? exit->code.value_or(kCouldNotStart)
                            : kCouldNotStart;
}

}  // namespace muster::client

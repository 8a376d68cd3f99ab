#include "agent/attempt/placement.h"

#include "base/text.h"
#include "os/process/command.h"
#include "rt/fd.h"
#include "spec/archive_name.h"

#include <array>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr Duration kUnpackDeadline = std::chrono::minutes(30);

/// Does what unzip does: modes are kept, and links stay links. Links are made last, so that no file
/// of the archive is written through them to another place.
constexpr const char* kUnzip = R"(
import os, stat, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    links = []
    for entry in archive.infolist():
        path, mode = archive.extract(entry, sys.argv[2]), entry.external_attr >> 16
        if stat.S_ISLNK(mode):
            links.append((path, archive.read(entry).decode()))
        elif mode & 0o777 and not entry.is_dir():
            os.chmod(path, mode & 0o777)
    for path, target in links:
        os.remove(path)
        os.symlink(target, path)
)";

constexpr size_t kSaidMax = 300;

/// Returns memory for the first bytes of a program's messages; there is no room for the rest. Not
/// valid if the system has none.
rt::Fd place_for_words() {
  rt::Fd words(::memfd_create("words", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool bounded = words.valid() && ::ftruncate(words.get(), kSaidMax) == 0 &&
                       ::fcntl(words.get(), F_ADD_SEALS, F_SEAL_GROW) == 0;
  return bounded ? std::move(words) : rt::Fd();
}

/// Returns what was written there, in one line: "tar: not an archive; tar: stopped". "" for
/// nothing.
std::string said_in(const rt::Fd& words) {
  std::array<char, kSaidMax> bytes{};
  (void)::pread(words.get(), bytes.data(), bytes.size(), 0);
  const std::string_view text(bytes.data(), ::strnlen(bytes.data(), bytes.size()));
  std::string said;
  for (const std::string_view line : split(text, '\n')) {
    said += trim(line).empty() ? "" : (said.empty() ? "" : "; ") + printable(trim(line));
  }
  return said;
}

/// Runs one unpacking program in `folder`.
Status run_unpacker(std::vector<std::string> argv, const fs::path& folder) {
  os::SpawnOptions options;
  const std::string program = argv.front();
  options.argv = std::move(argv);
  options.env = os::own_environment();
  options.folder = folder;
  options.stderr_to = os::ToNull{};
  const rt::Fd said = place_for_words();
  if (said.valid()) {
    options.stderr_to = os::ToFd{said.get()};
  }
  MUSTER_TRY(const os::CommandOutput output, os::run_command(std::move(options), kUnpackDeadline));
  if (output.exit.code != 0) {
    const std::string why = said_in(said);
    return user_error("cannot unpack the archive: " + (why.empty() ? program + " failed" : why));
  }
  return {};
}

Status unpack_archive(const fs::path& archive, const fs::path& folder) {
  if (archive.extension() != ".zip") {
    return run_unpacker({"tar", "-xf", archive.string()}, folder);
  }
  Status unzipped = run_unpacker({"unzip", "-q", "-o", archive.string()}, folder);
  if (unzipped.has_value() || unzipped.error().code != Errc::NotFound) {
    return unzipped;
  }
  return run_unpacker({"python3", "-c", kUnzip, archive.string(), folder.string()}, folder);
}

bool is_uri(std::string_view text) { return text.find("://") != std::string_view::npos; }

/// Returns whether the path is relative and never leaves its folder.
bool stays_inside(const fs::path& path) {
  if (path.empty() || path.is_absolute()) {
    return false;
  }
  for (const fs::path& part : path) {
    if (part == "..") {
      return false;
    }
  }
  return true;
}

/// A source that is not absolute was brought by the cluster, as a link in the agent's own folder.
fs::path resolved(const fs::path& source) {
  if (source.is_absolute()) {
    return source;
  }
  std::error_code error;
  fs::path brought = fs::canonical(source, error);
  return error ? source : brought;
}

}  // namespace

Unpacker make_unpacker() { return unpack_archive; }

Status Placement::place(const std::vector<spec::File>& wanted, const fs::path& folder) {
  for (const spec::File& file : wanted) {
    if (stop_.stop_requested()) {
      return Error{Errc::Cancelled, Blame::User, "the attempt was stopped during its preparation"};
    }
    if (Status placed = place_one(file, folder); !placed.has_value()) {
      return placed.error().within("files: " + file.src);
    }
  }
  return {};
}

Status Placement::place_one(const spec::File& file, const fs::path& folder) {
  if (is_uri(file.src)) {
    return Error{Errc::Unsupported, Blame::User,
                 "this cluster cannot read from such an address; name a local file or folder"};
  }
  fs::path written = file.src;
  if (!written.has_filename()) {
    written = written.parent_path();
  }
  const fs::path source = resolved(written);
  MUSTER_TRY(const os::FileStat stat, files_.stat(source));
  const std::string stem = spec::archive_stem(written.filename().string());
  const bool unpacks =
      stat.kind != os::FileKind::Folder &&
      (file.unpack == spec::Unpack::Yes || (file.unpack == spec::Unpack::Auto && !stem.empty()));
  fs::path name = file.as.empty()
                      ? fs::path(unpacks && !stem.empty() ? stem : written.filename().string())
                      : fs::path(file.as).lexically_normal();
  if (!name.has_filename()) {
    name = name.parent_path();
  }
  if (!stays_inside(name)) {
    return user_error("a name in the task's folder must be relative and must not contain \"..\": " +
                      name.string());
  }
  const fs::path target = folder / name;
  MUSTER_TRY_STATUS(files_.make_folders(target.parent_path()));
  MUSTER_TRY_STATUS(files_.remove_tree(target));
  if (unpacks) {
    return unpack_into(source, target);
  }
  if (stat.kind == os::FileKind::Link || !small(source)) {
    return files_.symbolic_link(source, target);
  }
  return files_.copy_tree(source, target);
}

Status Placement::unpack_into(const fs::path& archive, const fs::path& target) {
  // A half-unpacked archive must never be taken for a whole one, so only the finished folder gets
  // the name.
  fs::path unfinished = target;
  unfinished += ".unpacking";
  MUSTER_TRY_STATUS(files_.remove_tree(unfinished));
  MUSTER_TRY_STATUS(files_.make_folders(unfinished));
  MUSTER_TRY_STATUS(unpack_(archive, unfinished));
  return files_.rename(unfinished, target);
}

Result<fs::path> Placement::place_python(const spec::Python& python, const fs::path& folder) {
  const fs::path interpreter =
      python.interpreter.empty() ? fs::path("bin/python3") : fs::path(python.interpreter);
  if (python.env.empty()) {
    if (!interpreter.is_absolute()) {
      return fs::path();
    }
    // Otherwise PATH would lead to another Python.
    if (!files_.exists(interpreter)) {
      return user_error("python.interpreter: this host has no " + interpreter.string());
    }
    return interpreter.parent_path();
  }
  const fs::path written = python.env;
  const fs::path source = resolved(written);
  MUSTER_TRY(const os::FileStat stat, files_.stat(source));
  fs::path root = source;
  if (stat.kind != os::FileKind::Folder &&
      !spec::archive_stem(written.filename().string()).empty()) {
    root = folder / spec::archive_stem(written.filename().string());
    MUSTER_TRY_STATUS(files_.make_folders(folder));
    if (!files_.exists(root)) {
      MUSTER_TRY_STATUS(unpack_into(source, root));
    }
  }
  const fs::path program = interpreter.is_absolute() ? interpreter : root / interpreter;
  if (!files_.exists(program)) {
    return user_error("the Python environment lacks " + interpreter.string() + ": " +
                      source.string());
  }
  return program.parent_path();
}

bool Placement::small(const fs::path& path) {
  uint64_t bytes = 0;
  size_t entries = 0;
  std::vector<fs::path> todo = {path};
  while (!todo.empty()) {
    const fs::path next = std::move(todo.back());
    todo.pop_back();
    const Result<os::FileStat> stat = files_.stat(next);
    if (!stat.has_value()) {
      continue;  // The copy will meet it again and report what is wrong.
    }
    bytes += stat->kind == os::FileKind::File ? stat->size_bytes : 0;
    if (bytes > kCopyBytesMax || ++entries > kCopyEntriesMax) {
      return false;
    }
    if (stat->kind != os::FileKind::Folder) {
      continue;
    }
    if (const auto listed = files_.list(next); listed.has_value()) {
      for (const os::FolderEntry& entry : *listed) {
        todo.push_back(next / entry.name);
      }
    }
  }
  return true;
}

job::Failure preparation_failure(const Error& error) {
  job::Failure failure;
  failure.evidence = printable(error.message);
  switch (error.code) {
    case Errc::OutOfSpace:
      failure.class_name = "disk.full";
      failure.kind = job::FailureKind::Resource;
      failure.remedy = job::Remedy::Elsewhere;
      failure.hint = "Free space on that host's disk, or move MUSTER_HOME to a larger one";
      return failure;
    case Errc::NotFound:
    case Errc::InvalidArgument:
    case Errc::PermissionDenied:
    case Errc::Unsupported:
      failure.class_name = "user.files";
      failure.kind = job::FailureKind::User;
      failure.remedy = job::Remedy::GiveUp;
      failure.hint = "Fix the entry of `files:` or `python:` that the message names";
      return failure;
    case Errc::AlreadyExists:
      failure.class_name = kPortInUse;
      failure.kind = job::FailureKind::Resource;
      failure.remedy = job::Remedy::NewPorts;
      return failure;
    case Errc::Other:
    case Errc::Unavailable:
    case Errc::DeadlineExceeded:
    case Errc::Cancelled:
    case Errc::Corrupt:
    case Errc::NeverFits:
    case Errc::Unauthenticated:
      failure.class_name = "agent.preparation";
      failure.kind = job::FailureKind::Infrastructure;
      failure.remedy = job::Remedy::Restart;
      return failure;
  }
  return failure;
}

}  // namespace muster::agent

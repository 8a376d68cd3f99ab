#include "base/text.h"
#include "fs/copy.h"
#include "fs/lanes.h"
#include "fs/target.h"
#include "fs/verbs.h"
#include "hadoop/hdfs/names/path.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr int kStandardInput = 0;
/// Links can lead in circles; no sane tree is deeper.
constexpr int kDepthMax = 100;

/// One local file or folder and where it goes.
struct Upload {
  std::filesystem::path from;
  std::string to;
  bool folder = false;
  uint64_t size_bytes = 0;

  [[nodiscard]] std::string name() const { return from.filename().string(); }
};

Error local_error(const std::filesystem::path& path, std::error_code error) {
  Error made = system_error(error.value(), printable(path.string()));
  if (made.code == Errc::NotFound || made.code == Errc::PermissionDenied) {
    made.blame = Blame::User;
  }
  return made;
}

/// Lists what `from` is to become, each folder before its contents. Links are followed.
Status collect(const std::filesystem::path& from, const std::string& to, int depth,
               std::vector<Upload>& items) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(from, error);
  if (error) {
    return local_error(from, error);
  }
  if (std::filesystem::is_regular_file(status)) {
    const uint64_t size = std::filesystem::file_size(from, error);
    items.push_back({from, to, false, error ? 0 : size});
    return {};
  }
  if (!std::filesystem::is_directory(status)) {
    return user_error(
        fmt::format("{} is neither a file nor a folder; put - TARGET reads standard input",
                    printable(from.string())));
  }
  if (depth > kDepthMax) {
    return user_error(fmt::format("{} is more than {} folders deep; do its links form a loop?",
                                  printable(from.string()), kDepthMax));
  }
  items.push_back({from, to, true, 0});
  std::filesystem::directory_iterator entries(from, error);
  if (error) {
    return local_error(from, error);
  }
  for (const std::filesystem::directory_entry& entry : entries) {
    MUSTER_TRY_STATUS(collect(entry.path(), hdfs::child_of(to, entry.path().filename().string()),
                              depth + 1, items));
  }
  return {};
}

rt::Async<Status> put_one(Session* session, hdfs::FileSystem* to, CopyProgress* progress,
                          Upload item) {
  const Unfinished::Hold unfinished(session->unfinished(), {to, hdfs::copying_name(item.to)});
  hdfs::PutOptions options;
  options.overwrite = session->options().force;
  options.moved = progress->moved();
  const hdfs::TransferDeps deps{.loop = session->loop(), .files = session->files(), .fs = *to};
  co_return co_await hdfs::put_file(deps, std::move(item.from), std::move(item.to),
                                    std::move(options));
}

rt::Async<Status> put_items(Session* session, const Target* target, CopyProgress* progress,
                            std::vector<Upload> items) {
  hdfs::FileSystem* const to = target->place.fs;
  for (const Upload& item : items) {
    if (item.folder) {
      MUSTER_CO_TRY_STATUS(co_await to->make_folder(item.to, true));
    }
  }
  std::erase_if(items, [](const Upload& item) { return item.folder; });
  Lanes<Upload> lanes(session->loop(), progress->begins(), [session, to, progress](Upload item) {
    return put_one(session, to, progress, std::move(item));
  });
  co_return co_await lanes.run(std::move(items));
}

rt::Async<Status> put_stdin(Session* session, const Target* target, CopyProgress* progress) {
  if (target->folder) {
    co_return user_error("standard input has no name: name a file as the target, not a folder");
  }
  const Unfinished::Hold unfinished(session->unfinished(),
                                    {target->place.fs, hdfs::copying_name(target->place.path)});
  progress->begin("standard input", 0);
  hdfs::PutOptions options;
  options.overwrite = session->options().force;
  options.moved = progress->moved();
  rt::Loop* loop = &session->loop();
  const hdfs::Source source = [loop] { return read_fd(loop, kStandardInput); };
  co_return co_await hdfs::put_source(target->place.fs, source, target->place.path,
                                      std::move(options));
}

/// Returns the name under which a local path appears in a folder: "a/b/" is "b", "." is the
/// folder's own.
std::string name_of(const std::string& argument) {
  std::filesystem::path path = std::filesystem::path(argument).lexically_normal();
  if (!path.has_filename()) {
    path = path.parent_path();
  }
  std::error_code ignored;
  if (path.filename() == "." || path.filename() == ".." || path.empty()) {
    path = std::filesystem::canonical(argument, ignored);
  }
  return path.filename().string();
}

rt::Async<Status> put_argument(Session* session, const Target* target, CopyProgress* progress,
                               std::string argument) {
  if (argument == "-") {
    co_return co_await put_stdin(session, target, progress);
  }
  std::string to = target->place.path;
  if (target->folder) {
    to = hdfs::child_of(to, name_of(argument));
  }
  MUSTER_CO_TRY(const hdfs::Location legal, hdfs::parse_location(to, "/"));
  to = legal.path;
  auto work = [argument, to] {
    std::vector<Upload> items;
    const Status collected = collect(argument, to, 0, items);
    return collected.has_value() ? Result<std::vector<Upload>>(std::move(items))
                                 : Result<std::vector<Upload>>(collected.error());
  };
  MUSTER_CO_TRY(std::vector<Upload> items,
                co_await rt::run_blocking(session->loop(), std::move(work)));
  co_return co_await put_items(session, target, progress, std::move(items));
}

}  // namespace

rt::Async<> put(Session* session) {
  const Result<Target> target = co_await find_target(session, "copied", MissingFolder::Made);
  if (!target.has_value()) {
    session->fail(target.error());
    co_return;
  }
  CopyProgress progress(*session, "put");
  for (const std::string& argument : target->sources) {
    const Status put = co_await put_argument(session, &*target, &progress, argument);
    session->terminal().status("");
    if (!put.has_value()) {
      session->fail(put.error());
    }
  }
}

}  // namespace muster::fs

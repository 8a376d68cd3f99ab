#include "fs/target.h"

#include "base/text.h"

#include <fmt/format.h>

#include <utility>

namespace muster::fs {
namespace {

using hadoop::hdfs::FileType;

Error not_there(const std::string& argument, bool several, MissingFolder missing) {
  const char* const advice =
      missing == MissingFolder::Made ? "append a / to create it" : "create it with muster fs mkdir";
  return user_error(fmt::format("{} does not exist{}; {}", printable(argument),
                                several ? ", and several files need a folder" : "", advice),
                    Errc::NotFound);
}

}  // namespace

rt::Async<Result<Target>> find_target(Session* session, std::string done, MissingFolder missing) {
  Target target{.sources = session->options().paths, .place = {}};
  if (target.sources.size() < 2) {
    co_return user_error(fmt::format("name what is to be {} and where to", done));
  }
  const std::string argument = std::exchange(target.sources.back(), {});
  target.sources.pop_back();
  const bool several = target.sources.size() > 1;
  MUSTER_CO_TRY(target.place, session->place(argument));
  MUSTER_CO_TRY(const auto status, co_await target.place.fs->name_node().stat(target.place.path));
  if (status.has_value()) {
    target.folder = status->type == FileType::Folder;
    if (!target.folder && (several || target.place.folder)) {
      co_return user_error(fmt::format("{} is a file, not a folder", printable(argument)));
    }
    co_return target;
  }
  if (target.place.folder && missing == MissingFolder::Made) {
    MUSTER_CO_TRY_STATUS(co_await target.place.fs->make_folder(target.place.path, true));
    target.folder = true;
  } else if (several || target.place.folder) {
    co_return not_there(argument, several, missing);
  }
  co_return target;
}

}  // namespace muster::fs

#include "app/fs_target.h"

#include "base/text.h"

#include <fmt/format.h>

#include <utility>

namespace muster::app {
namespace {

using hadoop::hdfs::FileType;

Error not_there(const std::string& word, bool several, MissingFolder missing) {
  const char* const advice = missing == MissingFolder::Made ? "write a / at its end to make it"
                                                            : "make it with muster fs mkdir";
  return user_error(fmt::format("{} does not exist{}; {}", printable(word),
                                several ? ", and several files need a folder" : "", advice),
                    Errc::NotFound);
}

}  // namespace

rt::Async<Result<FsTarget>> fs_target(FsSession* session, std::string done, MissingFolder missing) {
  FsTarget target{.words = session->options().paths, .place = {}};
  if (target.words.size() < 2) {
    co_return user_error(fmt::format("name what is to be {} and where to", done));
  }
  const std::string word = std::exchange(target.words.back(), {});
  target.words.pop_back();
  const bool several = target.words.size() > 1;
  MUSTER_CO_TRY(target.place, session->place(word));
  MUSTER_CO_TRY(const auto status, co_await target.place.fs->name_node().stat(target.place.path));
  if (status.has_value()) {
    target.folder = status->type == FileType::Folder;
    if (!target.folder && (several || target.place.folder)) {
      co_return user_error(fmt::format("{} is a file, not a folder", printable(word)));
    }
    co_return target;
  }
  if (target.place.folder && missing == MissingFolder::Made) {
    MUSTER_CO_TRY_STATUS(co_await target.place.fs->make_folder(target.place.path, true));
    target.folder = true;
  } else if (several || target.place.folder) {
    co_return not_there(word, several, missing);
  }
  co_return target;
}

}  // namespace muster::app

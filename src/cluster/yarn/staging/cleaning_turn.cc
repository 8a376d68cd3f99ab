#include "cluster/yarn/staging/cleaning_turn.h"

#include "cluster/retention.h"
#include "hadoop/hdfs/names/server_time.h"

#include <chrono>
#include <optional>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr uint32_t kFolderMode = 0700;
constexpr int64_t kUnchanged = -1;

}  // namespace

rt::Async<Result<bool>> take_cleaning_turn(hdfs::NameNode* name_node, std::string root,
                                           std::string scratch) {
  const std::string path = root + "/cleaned";
  auto asked = co_await name_node->stat(path);
  MUSTER_CO_TRY(const std::optional<hdfs::FileStatus> last, std::move(asked));
  auto told = co_await hdfs::server_time(name_node, std::move(scratch));
  MUSTER_CO_TRY(const WallTime now, std::move(told));
  if (last.has_value() && !cleaning_is_due(hdfs::wall_of(last->modified_ms), now)) {
    co_return false;
  }
  auto made = co_await name_node->make_folder(path, kFolderMode, true);
  MUSTER_CO_TRY_STATUS(std::move(made));
  auto noted = co_await name_node->set_times(path, hdfs::milliseconds_of(now), kUnchanged);
  MUSTER_CO_TRY_STATUS(std::move(noted));
  co_return true;
}

}  // namespace muster::cluster::yarn

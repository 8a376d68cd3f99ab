#include "hadoop/hdfs/names/server_time.h"

#include <chrono>
#include <optional>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

constexpr uint32_t kScratchPermission = 0700;

}  // namespace

WallTime wall_of(int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

int64_t milliseconds_of(WallTime moment) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(moment.time_since_epoch()).count();
}

rt::Async<Result<WallTime>> server_time(NameNode* name_node, std::string scratch) {
  auto made = co_await name_node->make_folder(scratch, kScratchPermission, true);
  MUSTER_CO_TRY_STATUS(std::move(made));
  auto asked = co_await name_node->stat(scratch);
  // Left behind if the NameNode becomes unreachable just now; whoever cleans up there removes it.
  (void)co_await name_node->remove(scratch, false);
  MUSTER_CO_TRY(const std::optional<FileStatus> status, std::move(asked));
  if (!status.has_value()) {
    co_return cluster_error(
        "another process removed " + scratch + ", which was created to learn HDFS's time",
        Errc::NotFound);
  }
  co_return wall_of(status->modified_ms);
}

}  // namespace muster::hadoop::hdfs

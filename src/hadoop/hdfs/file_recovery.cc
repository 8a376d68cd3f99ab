#include "hadoop/hdfs/file_recovery.h"

#include "base/text.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

constexpr Duration kPauseFirst = std::chrono::milliseconds(500);
constexpr Duration kPauseMax = std::chrono::seconds(5);

}  // namespace

rt::Async<Status> recover_file(FileDeps deps, std::string path, Duration patience) {
  const HostTime give_up = deps.loop.now() + patience;
  Duration pause = kPauseFirst;
  while (true) {
    MUSTER_CO_TRY(const bool closed, co_await deps.name_node.recover_lease(path));
    if (closed) {
      co_return Status();
    }
    if (deps.loop.now() + pause > give_up) {
      co_return cluster_error(fmt::format(
          "{} is still open {} s after it was asked to be closed; its last block waits "
          "for DataNodes that have it: `hdfs fsck {} -openforwrite` tells more",
          printable(path), std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
          printable(path)));
    }
    co_await rt::pause_for(deps.loop, pause);
    pause = std::min(2 * pause, kPauseMax);
  }
}

}  // namespace muster::hadoop::hdfs

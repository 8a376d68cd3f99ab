#pragma once

#include "base/log.h"
#include "client/reach/task_streams.h"
#include "client/session.h"
#include "cluster/cluster.h"
#include "cluster/job_folder.h"
#include "rt/io_loop.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace muster::client {

/// What a command in the foreground needs to reach the tasks of a running job: finds the job's
/// master through its cluster, proves with the job's secret that it acts for the owner, and says
/// who the person is. Lives on its loop's thread.
class JobStreams {
 public:
  struct Options {
    Duration patience{};  ///< How long to look for a master.
    bool reconnects = false;
    bool by_master = false;  ///< Never dial a task's host.
  };

  JobStreams(Session& session, cluster::JobFolder folder, rt::IoLoop& loop)
      : session_(session),
        folder_(std::move(folder)),
        cluster_(session.clusters->of(folder_)),
        loop_(loop) {}

  /// Begins to look for a master. Call once. Fails if the job's secret cannot be read.
  [[nodiscard]] Status start(Options options, TaskStreams::Handlers handlers);
  /// Valid from start() on.
  [[nodiscard]] TaskStreams& streams() { return *streams_; }
  TaskStreams* operator->() { return &*streams_; }

  [[nodiscard]] const cluster::JobFolder& folder() const { return folder_; }

 private:
  Result<std::string> locate();

  Session& session_;
  cluster::JobFolder folder_;
  cluster::Cluster& cluster_;
  rt::IoLoop& loop_;
  log::NullSink quiet_;
  std::unique_ptr<control::Transport> transport_;
  bool over_ = false;  ///< The cluster says that the job has ended or is not running.
  std::optional<TaskStreams> streams_;
};

}  // namespace muster::client

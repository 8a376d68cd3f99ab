#pragma once

#include "agent/attempt/task_run.h"
#include "agent/program/event_folder.h"
#include "agent/program/told_series.h"
#include "base/log.h"
#include "base/result.h"
#include "job/ids.h"
#include "os/file/files.h"
#include "os/file/line_socket.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::agent {

/// The socket's path, in a task's environment.
inline constexpr const char* kReportVariable = "MUSTER_REPORT";

/// What the programs of this agent's attempts report about themselves: through event files in
/// `tensorboard.logdir`, and through lines on a socket of each attempt. Passed on once a second.
/// Whatever goes wrong here, the attempts go on. Lives on the loop's thread.
class Programs {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    log::Logger log;
    os::OpenLineSocket open_socket;  ///< Empty: there are no sockets.
    /// Returns the processes of an attempt, to tell whose files are whose in a shared folder.
    std::function<std::vector<os::Pid>(job::AttemptId)> processes;
    /// Receives what an attempt has reported, at most once a second.
    std::function<void(job::AttemptId, std::vector<Told>)> told;
  };

  explicit Programs(Deps deps);
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  struct About {
    std::string stem;            ///< "worker-3.1", for the log.
    bool takes_unnamed = false;  ///< Event files of a shared folder that do not name their writer.
  };
  /// Begins with an attempt that is about to be started with `options`, whose environment gets the
  /// socket's path.
  void begin(const TaskRun& run, TaskRun::StartOptions& options, About about);
  /// Returns whether the attempt may have reported something that was not passed on yet.
  [[nodiscard]] bool has_more(job::AttemptId id) const;
  /// The attempt's process has ended: passes on its last reports. Takes a second at most.
  [[nodiscard]] rt::Async<> finish(job::AttemptId id);
  /// Forgets an attempt.
  void drop(job::AttemptId id);

 private:
  struct Watched;

  void open_socket(job::AttemptId id, Watched& watched, const os::Path& folder);
  void open_folder(const TaskRun& run, const TaskRun::StartOptions& options, const About& about,
                   Watched& watched);
  rt::Async<> run_looks(job::AttemptId id);
  /// Looks at its event files; returns whether there is more to read at once.
  rt::Async<Result<bool>> look(job::AttemptId id);
  void hand_on(job::AttemptId id, bool last = false);
  [[nodiscard]] ToldSeries::Now now() const;

  Deps deps_;
  std::map<job::AttemptId, std::unique_ptr<Watched>> watched_;  ///< Last: their coroutines use all.
};

}  // namespace muster::agent

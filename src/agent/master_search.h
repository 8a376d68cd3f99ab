#pragma once

#include "agent/master_line.h"
#include "base/log.h"
#include "cluster/master_starter.h"
#include "control/transport.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <string>

namespace muster::agent {

/// For whom a master is searched.
class MasterSeeker {
 public:
  virtual ~MasterSeeker() = default;
  /// False once this agent leaves: then it starts no master any more.
  [[nodiscard]] virtual bool wants_master() const = 0;
  /// The job has ended: there will be no master.
  virtual void job_over() = 0;
};

/// Brings a lost line back: dials the master that it was told of, again and again with back-off,
/// until the line is up; and where a lost master is the agents' own task (MasterStarter), looks for
/// the job's master and starts one if there is none. Lives on the loop's thread; ends when the line
/// is closed.
class MasterSearch {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    log::Logger log;
    MasterLine& line;
    MasterSeeker& seeker;
    /// nullptr where a lost master comes back by other means.
    cluster::MasterStarter* starter;
  };

  MasterSearch(Deps deps, control::Peer self, control::Key key);
  MasterSearch(const MasterSearch&) = delete;
  MasterSearch& operator=(const MasterSearch&) = delete;

  /// Dials `master` at once unless the line is up, and from now on.
  void dial(std::string master);
  /// Where to dial when the line that is up now will be lost.
  void remember(std::string master) { master_ = std::move(master); }

 private:
  rt::Async<> keep_dialling();
  rt::Async<> keep_seeking();
  /// Looks once for a master other than the one that cannot be reached.
  void seek();

  Deps deps_;
  control::Peer self_;
  control::Key key_;
  std::string master_;
  Duration back_off_;
  rt::Event told_;         ///< An address has come.
  rt::Event unreachable_;  ///< The line was lost, or a dial has failed.
  rt::Scope scope_;        ///< Last: its coroutines use all of the above.
};

}  // namespace muster::agent

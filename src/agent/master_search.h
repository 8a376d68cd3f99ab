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

/// The agent on whose behalf a master is searched for.
class MasterSeeker {
 public:
  virtual ~MasterSeeker() = default;
  /// Returns false once this agent is leaving: it then starts no master any more.
  [[nodiscard]] virtual bool wants_master() const = 0;
  /// The job has ended: there will be no master.
  virtual void job_over() = 0;
};

/// Restores a lost line: dials the last known master again and again, with back-off, until the line
/// is up. Where agents have to replace a lost master themselves (MasterStarter), it also looks for
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

  /// Dials `master` at once unless the line is up, and from then on whenever it is lost.
  void dial(std::string master);
  /// Remembers where to dial once the line that is up now is lost.
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

#pragma once

#include "client/follow/follower.h"
#include "client/options.h"
#include "client/session.h"
#include "cluster/job_folder.h"

#include <functional>
#include <optional>
#include <string>

namespace muster::client {

struct FollowCommand {
  cluster::JobFolder folder{""};
  OnInterrupt on_interrupt = OnInterrupt::Auto;
  bool stops_at_hang_up = false;  ///< Otherwise it detaches.
  bool quiet = false;             ///< No phase line and no events.
  bool output = true;             ///< Show the tasks' output.
  bool only_watches = false;      ///< Any signal ends the watching, never the job.
  /// Ask the job to stop at once, in this way.
  std::optional<job::StopHow> stop;
  bool leave_when_told = false;  ///< With `stop`: leave as soon as the job is stopping.
  /// FollowerDeps::take_output.
  std::function<void(const wire::Output&)> take_output;
  RunEvents* events = nullptr;  ///< FollowerDeps::events.
};

/// How a followed job came out, for the command line.
struct Followed {
  FollowEnd end;
  bool interrupted = false;             ///< By Ctrl-C alone, like a program run by hand.
  std::optional<job::Machine> machine;  ///< As far as it was followed.
};

/// Follows a job in the foreground until it ends or the user leaves: runs a loop of its own and
/// obeys signals (OnInterrupt says what Ctrl-C does; SIGTERM stops; SIGHUP detaches or stops, or
/// does nothing if it is ignored).
[[nodiscard]] Result<Followed> follow_job(Session& session, const FollowCommand& command);

}  // namespace muster::client

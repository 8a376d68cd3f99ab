#pragma once

#include "base/result.h"
#include "os/process/family_rounds.h"
#include "os/process/interactive_child.h"
#include "os/process/pid.h"
#include "os/process/process_tree.h"
#include "os/process/spawn.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::os {

/// The child processes of a shell. LoopProcesses is the real one; the simulator's version runs
/// scripts. Lives on its loop's thread. Destroying it forgets the children without ending them.
class Processes {
 public:
  struct Handlers {
    /// Bytes from a stream that is ToPipe, as they arrive; the view is valid only during the call.
    /// What the child wrote before its end comes before `exited`; what its own children write later
    /// may come after.
    std::function<void(Stream stream, std::string_view bytes)> output;
    /// The child has ended and is reaped. Called once, and never inside a call into Processes.
    std::function<void(const Exit& exit)> exited;
  };

  virtual ~Processes() = default;

  /// Starts a child; on an error no handler is called. A stdin that is ToPipe is closed at once.
  virtual Result<Pid> spawn(const SpawnOptions& options, Handlers handlers) = 0;
  /// Starts a child with three pipes, or with a terminal of its own, that leads a session; what
  /// `options` says about its streams and grouping is ignored. On an error no handler is called.
  /// Unsupported where processes are simulated.
  virtual Result<std::unique_ptr<InteractiveChild>> spawn_interactive(
      SpawnOptions options, std::optional<WindowSize> terminal,
      InteractiveChild::Handlers handlers);
  /// Sends a signal to the group that `leader` (a child with a group of its own) leads; a group
  /// that is gone is a success. Works after the leader's end, too, for processes it left behind.
  virtual Status signal_group(Pid leader, int signal) = 0;
  /// Hands over what a child and the processes it left behind have written so far. Must not be
  /// called inside its own handlers.
  virtual void drain_output(Pid pid) = 0;
  /// Stops reading the output of a child: its pipes are closed, and processes that still write to
  /// them get SIGPIPE.
  virtual void close_output(Pid pid) = 0;
  /// Lists the living processes that belong to a child: the child itself, its descendants, and
  /// orphans of its group or session that this process adopted (if it is a subreaper).
  [[nodiscard]] virtual std::vector<Pid> family(Pid child) const = 0;
  /// The same for callers that only watch: looks at the family alone if the kernel can list
  /// children, and may miss a process that comes or goes meanwhile.
  [[nodiscard]] virtual std::vector<Pid> members(Pid child) const { return family(child); }
  /// For callers that look at many families about once a second: returns what members() of the
  /// round needs.
  [[nodiscard]] virtual FamilyRound begin_round() { return {}; }
  /// The same as members() at a fraction of the cost. `round` is the last that was begun.
  [[nodiscard]] virtual std::vector<Pid> members(Pid child, const FamilyRound& round);
  /// Sends a signal to the whole family of a child, whichever groups they are in; returns how many
  /// got it.
  virtual size_t signal_family(Pid child, int signal) = 0;
  /// Sends `signal` to those of a child's family that ignore the signal `ignored`; returns how many
  /// got it. Does nothing where processes are simulated.
  virtual size_t signal_ignoring(Pid child, int ignored, int signal);
  /// Lists those of a child's family that a signal has stopped. None where processes are simulated.
  [[nodiscard]] virtual std::vector<Pid> stopped(Pid child) const;
  /// Continues all of a child's family except those in `stood`: a ptrace user that was killed
  /// leaves the process it held stopped. Does nothing where processes are simulated.
  virtual void go_on(Pid child, const std::vector<Pid>& stood);
};

/// Returns the processes of this host: exits are seen by pidfd (before Linux 5.3, by a thread that
/// waits), output is read on the loop.
[[nodiscard]] std::unique_ptr<Processes> make_processes(rt::IoLoop& loop);

}  // namespace muster::os

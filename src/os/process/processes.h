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

/// The child processes of a shell. LoopProcesses is the real one; the simulator's run scripts.
/// Lives on its loop's thread. Destroying it forgets the children without ending them.
class Processes {
 public:
  struct Handlers {
    /// Bytes from a stream that is ToPipe, as they come; the view is valid during the call only.
    /// What the child wrote before its end comes before `exited`; what its own children write later
    /// may come after.
    std::function<void(Stream stream, std::string_view bytes)> output;
    /// The child has ended and is reaped. Once, and never inside a call into Processes.
    std::function<void(const Exit& exit)> exited;
  };

  virtual ~Processes() = default;

  /// Starts a child; on an error no handler is called. A stdin that is ToPipe is closed at once.
  virtual Result<Pid> spawn(const SpawnOptions& options, Handlers handlers) = 0;
  /// Starts a child with three pipes, or with a terminal of its own, that leads a session; what
  /// `options` says of its streams and its grouping does not count. On an error no handler is
  /// called. Unsupported where processes are only played.
  virtual Result<std::unique_ptr<InteractiveChild>> spawn_interactive(
      SpawnOptions options, std::optional<WindowSize> terminal,
      InteractiveChild::Handlers handlers);
  /// Sends a signal to the group that `leader` (a child with a group of its own) leads; a group
  /// that is gone is success. Works after the leader's end, too, for those it left behind.
  virtual Status signal_group(Pid leader, int signal) = 0;
  /// Hands over what a child and those it left behind have written so far. Not for use inside its
  /// own handlers.
  virtual void drain_output(Pid pid) = 0;
  /// Stops reading the output of a child: its pipes are closed, and those who still write to them
  /// get SIGPIPE.
  virtual void close_output(Pid pid) = 0;
  /// Lists the living processes that belong to a child: the child itself, what descends from it,
  /// and orphans of its group or session that this process adopted (when it is a subreaper).
  [[nodiscard]] virtual std::vector<Pid> family(Pid child) const = 0;
  /// The same for whoever only watches: looks at the family alone where the kernel can list
  /// children, and may miss a process that comes or goes meanwhile.
  [[nodiscard]] virtual std::vector<Pid> members(Pid child) const { return family(child); }
  /// For whoever looks at many families about once a second: what members() of the round need.
  [[nodiscard]] virtual FamilyRound begin_round() { return {}; }
  /// The same as members() at a fraction of the cost. `round` is the last that was begun.
  [[nodiscard]] virtual std::vector<Pid> members(Pid child, const FamilyRound& round);
  /// Sends a signal to the whole family of a child, whichever groups they are in; returns how many
  /// got it.
  virtual size_t signal_family(Pid child, int signal) = 0;
  /// Sends `signal` to those of the family of a child that ignore the signal `ignored`; returns how
  /// many got it. None where processes are only played.
  virtual size_t signal_ignoring(Pid child, int ignored, int signal);
  /// Lists those of the family of a child that a signal has stopped. None where processes are only
  /// played.
  [[nodiscard]] virtual std::vector<Pid> stopped(Pid child) const;
  /// Tells all of the family of a child to go on, but for those of `stood`: whoever held one of
  /// them by ptrace and was killed leaves it stopped. Nobody where processes are only played.
  virtual void go_on(Pid child, const std::vector<Pid>& stood);
};

/// The processes of this host: exits by pidfd (before Linux 5.3 by a thread that waits), output
/// read on the loop.
[[nodiscard]] std::unique_ptr<Processes> make_processes(rt::IoLoop& loop);

}  // namespace muster::os

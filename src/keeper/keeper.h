#pragma once

#include <optional>
#include <string>
#include <vector>

/// The agent's small parent. It ensures that nothing of a container outlives it, whichever process
/// is killed first and however.
namespace muster::keeper {

struct Options {
  /// The agent's arguments, argv[0] first; "--life-fd N --start-fd M" are appended. The program
  /// executed is this very one (/proc/self/exe), whatever argv[0] says.
  std::vector<std::string> agent_argv;
  /// Open descriptors that the agent inherits under their numbers. The keeper keeps `held` (a lock
  /// lives as long as keeper or agent do) and closes `handed` (a pipe with the agent's order).
  std::vector<int> held;
  std::vector<int> handed;
  /// Removed once every process of the container has ended; empty for none.
  std::string remove_at_end;
  /// What is executed instead of this program; for tests of this module.
  std::optional<std::string> program;
};

/// Turns the calling process into the stub of a container: forks the keeper, which forks the agent,
/// and returns the exit status for main() when every process of the container has ended: the
/// agent's own (128 + signal if one killed it), or 70 when it could not be started.
///
///     stub (the cluster's child) ── keeper ── agent ── tasks, in any session
///                                   own session, subreaper
///
/// What happens when one of them ends:
///
///   * The agent: the keeper kills every descendant, then exits.
///
///   * The stub: the keeper closes the agent's life pipe, gives it two seconds to end its attempts
///     and itself, then kills every descendant. It does not kill the agent first: whoever killed
///     the stub may kill the keeper next, and then nobody would end the tasks.
///
///   * The keeper: the agent sees its life pipe close and ends its attempts and itself; the stub,
///     a subreaper too, kills what is left after a second or two.
///
/// SIGTERM, SIGINT and SIGHUP to the stub and SIGTERM to the keeper reach the agent as SIGTERM, on
/// which it stops gracefully. An agent that is itself stopped (SIGSTOP) would end nobody: it is
/// killed at once, with all descendants.
///
/// Control groups created for the keeper (os/host/cgroup.h) are removed after the last process.
///
/// At the other end of M (os/process/start_request.h) the stub starts programs for the agent that
/// outlive the container: it runs this very program, with the given arguments, outside it.
///
/// The caller must be single-threaded. Descendants of another user (sudo) cannot be killed and are
/// left alone.
int run(const Options& options);

}  // namespace muster::keeper

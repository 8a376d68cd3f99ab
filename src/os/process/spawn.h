#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/process/pid.h"
#include "rt/fd.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::os {

/// Where one of a child's standard streams goes.
struct ToNull {};
struct ToParent {};  ///< The same as the parent's own.
struct ToFd {
  int fd = -1;
};  ///< A copy of a descriptor of the parent.
struct ToPipe {};  ///< The other end comes back in Spawned (or as Processes' output).
struct ToFile {    ///< Appended to, created with mode 0644 if missing; read for stdin.
  std::filesystem::path path;
};
using Stdio = std::variant<ToNull, ToParent, ToFd, ToPipe, ToFile>;

enum class Grouping : uint8_t {
  Inherited,   ///< Stays in the parent's process group.
  NewGroup,    ///< Leads a process group of its own.
  NewSession,  ///< Leads a session (and a group) of its own, without a terminal.
  /// Leads a session of its own; its standard input is a terminal, and becomes the session's.
  NewTerminalSession,
};

/// A descriptor that the child gets in addition to its standard streams, under a number of its own
/// (3 and more).
struct KeptFd {
  int parent_fd = -1;
  int child_fd = -1;
};

struct SpawnOptions {
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH of `env` when it has no slash.
  std::map<std::string, std::string>
      env;                       ///< The whole environment of the child; nothing is inherited.
  std::filesystem::path folder;  ///< Working folder; empty: the parent's.
  Stdio stdin_from = ToNull{};
  Stdio stdout_to = ToParent{};
  Stdio stderr_to = ToParent{};
  bool merges_streams = false;  ///< Standard error goes where stdout_to says, in order.
  Grouping grouping = Grouping::Inherited;
  std::vector<KeptFd> keep;
  std::optional<int>
      parent_death_signal;  ///< Sent to the child when this process ends, however it ends.
  int niceness = 0;         ///< Added to the parent's.
};

/// A started child and the parent's ends of its pipes (non-blocking, close-on-exec).
struct Spawned {
  Pid pid;
  rt::Fd stdin_pipe;
  rt::Fd stdout_pipe;
  rt::Fd stderr_pipe;
};

/// Starts a child by vfork and exec: no copy of the parent's memory, and every error up to and
/// including exec is returned here with its cause (missing program or interpreter NotFound, not
/// executable PermissionDenied, blame User; no such working folder NotFound). The child has default
/// signal dispositions, an empty signal mask, no descriptor but those named here, and the limit of
/// descriptors that this process was started with. The caller must reap it.
[[nodiscard]] Result<Spawned> spawn(const SpawnOptions& options);

/// How a process ended and what it used (with its reaped children). Neither code nor signal is set
/// if another party reaped it.
struct Exit {
  std::optional<int> code;    ///< Set unless a signal ended it.
  std::optional<int> signal;  ///< Set if a signal ended it.
  bool core_dumped = false;
  uint64_t memory_peak_bytes = 0;  ///< Largest resident size of a single process.
  Duration cpu{};
  bool operator==(const Exit&) const = default;
};

/// Reaps a child if it has ended; nothing while it runs. NotFound if it is not a child of this
/// process.
[[nodiscard]] Result<std::optional<Exit>> try_reap(Pid pid);
/// Waits for a child's end and reaps it.
[[nodiscard]] Result<Exit> reap(Pid pid);

/// Returns this process's own environment.
[[nodiscard]] std::map<std::string, std::string> own_environment();

}  // namespace muster::os

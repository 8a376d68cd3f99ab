#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::job {

/// Who or what a failure class is about. It decides how blame settles and which budget is charged.
enum class FailureKind : uint8_t {
  User,            ///< The program or its input is certainly wrong (ImportError): acts at once.
  Program,         ///< The program ended without a known reason (exit 1, SIGSEGV): acts at once.
  PeerLoss,        ///< It reports another task gone: a victim until proved otherwise; blame waits.
  Resource,        ///< Memory, disk, files, ports: the place or the limit, not the code.
  Infrastructure,  ///< The container, host or cluster went away or was taken (preemption, lost
                   ///< host).
  Stopped,         ///< Muster ended it (stop, restart of its gang): never a cause.
};

/// What to do about an end, before budgets are considered.
enum class Remedy : uint8_t {
  Restart,    ///< Up the ladder from `process`: same slot, new container, other host, whole job.
  NewPorts,   ///< As Restart, with ports reserved anew.
  Elsewhere,  ///< The ladder from `host`: this host is avoided.
  GiveUp,     ///< Retrying cannot help: the failure policy of the role applies at once.
};

/// What an ended attempt amounts to. Made by the agent from the verdict rules, or by the machine
/// for ends that no agent saw (lost container).
struct Failure {
  /// The class of an attempt that hangs: it has not ended on its own.
  static constexpr std::string_view kStalled = "program.stalled";

  std::string class_name;  ///< Dotted, stable: "user.import", "memory.limit", "host.lost".
  FailureKind kind = FailureKind::Program;
  Remedy remedy = Remedy::Restart;
  std::string evidence;  ///< The telling lines, at most 4 KiB, printable.
  std::string hint;      ///< One sentence for the user: what to do. May be empty.

  bool operator==(const Failure&) const = default;
};

/// How a process ended, as its agent saw it. Exactly one of `exit_code` and `signal` is set.
struct Exit {
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  /// Ended by the agent's memory watch or the kernel's out-of-memory killer.
  bool over_memory = false;
  uint64_t memory_peak_bytes = 0;
  Duration age{};  ///< Time since the end, on the agent's clock at the report; for late reports.
  /// Set unless the exit code is 0.
  std::optional<Failure> failure;

  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
  bool operator==(const Exit&) const = default;
};

/// The part an attempt's end plays in its wave of failures, once blame has settled.
enum class Part : uint8_t { Origin, Victim, Stopped };

/// The stable lower-case names, for JSON, the log and the screen.
[[nodiscard]] std::string_view to_string(FailureKind kind);
[[nodiscard]] std::string_view to_string(Remedy remedy);
[[nodiscard]] std::string_view to_string(Part part);

}  // namespace muster::job

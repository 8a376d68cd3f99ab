#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the threads of a task's processes are doing: as seen by a probe in the task's container, as
/// transferred, and as people read it.
namespace muster::stacks {

/// Returns what a session runs to read the stacks of its attempt: the agent's own program.
[[nodiscard]] std::vector<std::string> probe_command();
/// Optional argument: include native frames, if tools can read them.
inline constexpr std::string_view kNativeFlag = "--native";
/// Optional argument: watch reading threads for two seconds, to see whether data arrives; the
/// thread that shows what the task does is watched for the number of seconds in the next argument.
inline constexpr std::string_view kWatchFlag = "--watch";
/// Returns whether a session's command, quoted, is that.
[[nodiscard]] bool is_probe(std::string_view what);

/// One call, the innermost first.
struct Frame {
  std::string function;
  std::string file;   ///< As the program names it; "" if unknown.
  uint32_t line = 0;  ///< 0 if unknown.
  bool operator==(const Frame&) const = default;
};

struct Thread {
  int32_t id = 0;
  std::string name;
  char state = '?';          ///< As in /proc: R, S, D, T, ...; '?' if it could not be read.
  std::string wait_channel;  ///< The kernel function that it sleeps in; "" if unknown.
  std::string system_call;   ///< Its name, or number; "" if it is in none, or hidden.
  std::string target;        ///< The file, pipe or socket it works on; "" if unknown.
  bool fed = false;          ///< What it reads has woken it while it was watched.
  /// It waits for a socket that accepts connections, or datagrams, from anybody.
  bool takes = false;
  bool input = false;  ///< The call reads its standard input.
  bool timed = false;  ///< The call ends after a time chosen by the program.
  bool brief = false;  ///< It waits for other threads, for some milliseconds at a time.
  /// The process that it waits for: one that holds the file lock that it wants, or that alone could
  /// read the full pipe into which it writes. 0 if it waits for none, or that is unknown.
  int32_t awaits = 0;
  /// It holds Python's global lock, without which no other thread of its process runs Python code.
  bool holds_gil = false;
  /// It only sleeps, for that many more seconds, or in total; nullopt if it does something else, or
  /// that could not be seen.
  std::optional<uint32_t> sleeps_s;
  /// A number representing the current values of the program's local variables; it changes when one
  /// of them does. 0 if unknown.
  uint64_t variables = 0;
  std::vector<Frame> frames;  ///< Empty if they could not be read.
  bool operator==(const Thread&) const = default;
};

/// A child process that has ended and has not been waited for.
struct EndedChild {
  int32_t pid = 0;
  int32_t code = 0;    ///< Its exit code; 0 also if that is hidden.
  int32_t signal = 0;  ///< The signal that killed it; 0: none did.
  bool operator==(const EndedChild&) const = default;
};

struct Process {
  int32_t pid = 0;
  int32_t parent = 0;
  std::string command;  ///< Its command line, shortened.
  bool python = false;  ///< It runs a Python interpreter.
  bool java = false;    ///< It is a Java virtual machine that can be asked for its frames.
  /// It can be reached from elsewhere: a socket accepts data from anybody, or has a connection over
  /// a network. True if that could not be seen.
  bool reachable = true;
  /// The main thread first; for Java, the program's main thread once its frames are known.
  std::vector<Thread> threads;
  std::vector<EndedChild> ended = {};  ///< At most kEndedMax.
  std::string problem;         ///< Why there are no frames, and what to do; "" if there are.
  bool misses_py_spy = false;  ///< There is no py-spy to read them with.
  bool operator==(const Process&) const = default;
};

/// How far a task has got in the collective calls of one process group, according to the flight
/// recorder of torch.distributed. Calls are counted from 1, the same way for all members.
struct Collectives {
  std::string group;       ///< The name by which all members know it.
  uint64_t entered = 0;    ///< The last one that it has entered.
  uint64_t completed = 0;  ///< The last one that it has left.
  std::string call;        ///< The kind of the last one: "all_reduce".
  std::string place;       ///< Where in the program: "step (train.py:31)"; "" if unknown.
  std::string sizes = {};  ///< Of the call's arguments: "[10, 2], [4]"; "" if unknown.
  bool operator==(const Collectives&) const = default;
};

/// One task's processes, parents before children.
struct Report {
  std::vector<Process> processes;
  std::vector<Collectives> collectives = {};  ///< Of its first process that has left a record.
  uint32_t left_out = 0;                      ///< Processes beyond kProcessesMax.
  bool complete = false;                      ///< The probe ran to its end.
  bool operator==(const Report&) const = default;
};

inline constexpr size_t kProcessesMax = 256;
inline constexpr size_t kThreadsMax = 256;
inline constexpr size_t kFramesMax = 64;
inline constexpr size_t kCollectivesMax = 64;
inline constexpr size_t kEndedMax = 8;
/// The maximum length of a name, a file, a command.
inline constexpr size_t kTextBytesMax = 256;
/// The maximum size of everything that a probe writes.
inline constexpr size_t kReportBytesMax = 1U << 20;

/// Writes what a probe reports, one line of JSON each: a process without frames as soon as it has
/// been seen, its frames once they have been read, and at the end a line saying that this was all.
/// So whatever hangs a probe costs only what comes after it.
[[nodiscard]] std::string process_line(const Process& process);
/// Writes the frames of those threads that have any, the whole command, and the problem.
[[nodiscard]] std::string frames_line(const Process& process);
[[nodiscard]] std::string collectives_line(const std::vector<Collectives>& collectives);
[[nodiscard]] std::string end_line(uint32_t left_out);

/// Reassembles a report from any bytes: lines that are not valid, and what exceeds the bounds
/// above, are dropped and counted. A value.
class ReportReader {
 public:
  void take(std::string_view bytes);
  [[nodiscard]] const Report& report() const { return report_; }
  [[nodiscard]] uint32_t dropped() const { return dropped_; }

 private:
  [[nodiscard]] bool take_line(std::string_view line);

  Report report_;
  std::string rest_;
  size_t bytes_ = 0;
  uint32_t dropped_ = 0;
};

/// Reads the output of `py-spy dump --json` into the threads of `process`. Corrupt for anything
/// else. Only a number is kept for variables (`--locals`); their content is private.
[[nodiscard]] Status read_py_spy(std::string_view text, Process& process);
/// Reads the thread dump of a Java virtual machine into the threads of `process`, and puts the
/// thread of the program's main() first; if that is over, one that the program's end waits for.
/// Corrupt for anything else.
[[nodiscard]] Status read_java(std::string_view text, Process& process);
/// Reads the stacks of all threads as printed by gdb and eu-stack.
void read_native(std::string_view text, Process& process);

}  // namespace muster::stacks

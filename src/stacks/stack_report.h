#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the threads of a task's processes are doing: as a probe in the task's container sees it,
/// as it travels, and as people read it.
namespace muster::stacks {

/// What a session runs to read the stacks of its attempt: the agent's own program.
[[nodiscard]] std::vector<std::string> probe_command();
/// What may follow: frames of native code are wanted, too, where tools can read them.
inline constexpr std::string_view kNativeFlag = "--native";
/// And: threads that read are watched for two seconds, to see whether something comes; the one that
/// tells what the task does for as many seconds as the next argument says.
inline constexpr std::string_view kWatchFlag = "--watch";
/// Whether a session's command, quoted, is that.
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
  char state = '?';          ///< As /proc has it: R, S, D, T, ...; '?' if it could not be read.
  std::string wait_channel;  ///< The kernel function that it sleeps in; "" if unknown.
  std::string system_call;   ///< Its name, or number; "" if it is in none, or may not be seen.
  std::string target;        ///< The file, pipe or socket that the call is about; "" if unknown.
  bool fed = false;          ///< What it reads has woken it while it was watched.
  /// It waits for a socket that takes connections, or datagrams, from anybody.
  bool takes = false;
  bool input = false;  ///< The call is about its standard input.
  bool timed = false;  ///< The call ends by itself, after a time that the program chose.
  bool brief = false;  ///< It waits for other threads, for some milliseconds at a time.
  /// It has Python's global lock, without which no other thread of its process runs Python code.
  bool holds_gil = false;
  /// It does nothing but sleep, for so many seconds more, or in all; nullopt: it does something
  /// else, or nobody could see.
  std::optional<uint32_t> sleeps_s;
  /// A number for the values of its program's local variables, as they are now: another one when
  /// one of them has changed. 0 if unknown.
  uint64_t variables = 0;
  std::vector<Frame> frames;  ///< Empty where nobody could read them.
  bool operator==(const Thread&) const = default;
};

/// A child process that has ended, and whose end nobody has asked for.
struct EndedChild {
  int32_t pid = 0;
  int32_t code = 0;    ///< Its exit code; 0 also where that is hidden.
  int32_t signal = 0;  ///< That killed it; 0: none did.
  bool operator==(const EndedChild&) const = default;
};

struct Process {
  int32_t pid = 0;
  int32_t parent = 0;
  std::string command;  ///< Its command line, shortened.
  bool python = false;  ///< It runs a Python interpreter.
  bool java = false;    ///< It is a Java virtual machine that can be asked for its frames.
  /// Something may come to it from elsewhere: a socket takes what anybody sends, or has a
  /// connection over a network. True where nobody could see.
  bool reachable = true;
  /// The main thread first: of Java that of the program, once its frames are known.
  std::vector<Thread> threads;
  std::vector<EndedChild> ended = {};  ///< At most kEndedMax.
  std::string problem;         ///< Why there are no frames, and what to do; "" if there are.
  bool misses_py_spy = false;  ///< There is no py-spy to read them with.
  bool operator==(const Process&) const = default;
};

/// How far a task has come in the collective calls of one process group, as the flight recorder of
/// torch.distributed tells. Calls are counted from 1, the same for all members.
struct Collectives {
  std::string group;       ///< Its name, which all members know it by.
  uint64_t entered = 0;    ///< The last one that it has entered.
  uint64_t completed = 0;  ///< The last one that it has left.
  std::string call;        ///< What the last one is: "all_reduce".
  std::string place;       ///< Where in the program: "step (train.py:31)"; "" if unknown.
  std::string sizes = {};  ///< Of what it gave to that call: "[10, 2], [4]"; "" if unknown.
  bool operator==(const Collectives&) const = default;
};

/// One task's processes, parents before children.
struct Report {
  std::vector<Process> processes;
  std::vector<Collectives> collectives = {};  ///< Of its first process that has left a record.
  uint32_t left_out = 0;                      ///< Processes beyond kProcessesMax.
  bool complete = false;                      ///< The probe came to its end.
  bool operator==(const Report&) const = default;
};

inline constexpr size_t kProcessesMax = 256;
inline constexpr size_t kThreadsMax = 256;
inline constexpr size_t kFramesMax = 64;
inline constexpr size_t kCollectivesMax = 64;
inline constexpr size_t kEndedMax = 8;
/// Of one name, one file, one command.
inline constexpr size_t kTextBytesMax = 256;
/// Of everything a probe writes.
inline constexpr size_t kReportBytesMax = 1U << 20;

/// What a probe writes, one line of JSON for each: a process without frames as soon as it has been
/// seen, its frames when they have been read, and at the end that this was all. So that what hangs
/// a probe costs only what comes after it.
[[nodiscard]] std::string process_line(const Process& process);
/// The frames of those threads that have any, the whole command, and the problem.
[[nodiscard]] std::string frames_line(const Process& process);
[[nodiscard]] std::string collectives_line(const std::vector<Collectives>& collectives);
[[nodiscard]] std::string end_line(uint32_t left_out);

/// Puts a report together again from any bytes: lines that are no such lines, and what exceeds the
/// bounds above, are dropped and counted. A value.
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

/// Reads what `py-spy dump --json` prints into the threads of `process`. Corrupt for anything else.
/// Of variables (`--locals`) only a number is kept: what they hold is nobody's business.
[[nodiscard]] Status read_py_spy(std::string_view text, Process& process);
/// Reads the thread dump of a Java virtual machine into the threads of `process`, and puts that of
/// the program's main() first; where it is over, one that the program's end waits for. Corrupt for
/// anything else.
[[nodiscard]] Status read_java(std::string_view text, Process& process);
/// Reads the stacks of all threads as gdb and eu-stack print them.
void read_native(std::string_view text, Process& process);

}  // namespace muster::stacks

#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/process/pid.h"
#include "stacks/stack_report.h"

#include <map>
#include <string>

namespace muster::agent {

/// What reads stacks: py-spy for Python, Java's own virtual machine, gdb or eu-stack for all else.
/// Blocking; each call ends by itself.
class FrameTools {
 public:
  struct Options {
    std::map<std::string, std::string> environment;  ///< Of the task, with its PATH.
    std::string py_spy;                              ///< Where it is; "": looked for.
    bool native = false;                             ///< Native frames, too.
    /// Those of a program without Python whose main thread waits for another of its own, where gdb
    /// knows the lines of its source.
    bool where_it_waits = false;
  };

  explicit FrameTools(Options options);

  /// Reads the frames of a process; what cannot be read is a problem, in words for people.
  void read(stacks::Process& process, Duration deadline);

 private:
  void read_python(stacks::Process& process, Duration deadline);
  void read_java(stacks::Process& process, Duration deadline);
  void read_with_debugger(stacks::Process& process, Duration deadline);
  void read_where_it_waits(stacks::Process& process, Duration deadline);

  Options options_;
  std::string debugger_;  ///< The path of gdb or eu-stack; "" if there is none.
};

}  // namespace muster::agent

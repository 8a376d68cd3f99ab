#pragma once

#include "base/error.h"
#include "base/time.h"
#include "fs/options.h"
#include "os/file/files.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace muster::fs {

/// The person who typed the command, as the commands see them. Texts are whole lines.
class Terminal {
 public:
  virtual ~Terminal() = default;
  /// Writes to standard output. What `cat` prints goes past it, to descriptor 1.
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
  /// Replaces the line that shows progress; empty removes it.
  virtual void status(std::string_view text) = 0;
  /// Prints an error; returns the exit status that goes with it.
  virtual int fail(const Error& error) = 0;
};

/// What a command needs from its process. All must outlive the call.
struct Deps {
  Terminal& terminal;
  os::Files& files;
  const std::map<std::string, std::string, std::less<>>& environment;
  WallTime now;
};

/// Runs one command to its end and returns the exit status, that of the first error. After SIGINT,
/// SIGTERM or SIGHUP it removes what unfinished copies have left behind and ends this process by
/// that signal. Blocks; runs a loop of its own.
[[nodiscard]] int run(const Deps& deps, const Options& options);

}  // namespace muster::fs

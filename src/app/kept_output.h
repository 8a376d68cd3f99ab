#pragma once

#include "agent/output/output_log.h"
#include "base/time.h"
#include "os/file/files.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

namespace muster::app {

/// Tasks' output as agents send it, kept in the files of this machine's job folder: for clusters
/// whose hosts nobody can read from here. The files rotate as the agents' own do. What an agent
/// left out, because it came too fast, is said in its place. For one thread.
class KeptOutput {
 public:
  /// `folder` exists; `clock` dates what comes. `files` outlives this.
  KeptOutput(os::Files& files, std::filesystem::path folder, agent::Rotation rotation,
             agent::OutputLog::Clock clock);

  /// Takes a piece of the output of a task of `role`. Repeats are passed over.
  void take(std::string_view role, const wire::Output& piece);

 private:
  struct Kept {
    agent::OutputLog log;
    uint64_t end = 0;  ///< Offset in the stream of the next byte to come.
  };
  Kept& kept_of(std::string_view role, const wire::Output& piece);

  os::Files& files_;
  std::filesystem::path folder_;
  agent::Rotation rotation_;
  agent::OutputLog::Clock clock_;
  std::map<std::pair<job::AttemptId, wire::OutputStream>, Kept> kept_;
};

}  // namespace muster::app

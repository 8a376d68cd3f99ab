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

/// Tasks' output as sent by agents, stored in files in this machine's job folder, for clusters
/// whose hosts cannot be read from here. The files rotate like the agents' own. Where an agent left
/// something out because it came too fast, the file says so. For one thread.
class KeptOutput {
 public:
  /// `folder` must exist; `clock` dates what arrives. `files` must outlive this.
  KeptOutput(os::Files& files, std::filesystem::path folder, agent::Rotation rotation,
             agent::OutputLog::Clock clock);

  /// Takes a piece of the output of a task of `role`. Repeats are ignored.
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

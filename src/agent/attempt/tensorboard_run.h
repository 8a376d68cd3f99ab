#pragma once

#include "agent/attempt/memory_reader.h"
#include "agent/output/output_log.h"
#include "os/host/memory.h"
#include "os/process/processes.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace muster::agent {

/// TensorBoard beside one attempt: a process group of its own that nothing waits for. It serves
/// only below an unguessable path, passed in its environment; those allowed to look come through
/// the job's page, which knows the path. Lives on the loop's thread; destroying it ends the
/// processes.
class TensorboardRun {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    os::Processes& processes;
    os::Meter& meter;
    WatchBudget& close_looks;
  };
  struct Options {
    std::string python;            ///< The interpreter whose packages have TensorBoard.
    std::string logdir;            ///< Relative to `folder`, absolute, or a URI.
    std::filesystem::path folder;  ///< The attempt's own.
    std::string host;
    uint16_t port = 0;
    std::string path;  ///< What stands before its addresses: "/0123abc".
    std::map<std::string, std::string> environment;  ///< The attempt's.
    std::filesystem::path log;
    Rotation rotation;
    uint64_t memory_limit_bytes = 0;
  };
  struct Handlers {
    std::function<void()> ready;                 ///< It answers requests. Called once.
    std::function<void(std::string why)> ended;  ///< It has ended on its own, and why.
  };

  TensorboardRun(Deps deps, Options options, Handlers handlers);
  ~TensorboardRun();
  TensorboardRun(const TensorboardRun&) = delete;
  TensorboardRun& operator=(const TensorboardRun&) = delete;

  /// Starts it soon; if it cannot be started, `ended` is called.
  void start();
  /// Ends it if it exceeds its memory. `round` is that of the looks at the attempts.
  void watch_memory(const os::FamilyRound& round);
  [[nodiscard]] bool ready() const { return ready_ && pid_.has_value(); }

 private:
  rt::Async<> serve();
  [[nodiscard]] os::SpawnOptions spawn_options();
  void on_output(os::Stream stream, std::string_view bytes);
  [[nodiscard]] std::string why_ended(const os::Exit& exit) const;

  Deps deps_;
  Options options_;
  Handlers handlers_;
  MemoryReader memory_;
  OutputLog log_;
  std::optional<os::Pid> pid_;
  std::string first_line_;  ///< Of its standard output, as far as it came.
  std::string over_memory_;
  bool ready_ = false;
  rt::Running serving_;  ///< Last: it uses all of the above.
};

}  // namespace muster::agent

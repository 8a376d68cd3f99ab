#pragma once

#include "agent/attempt/task_run.h"
#include "agent/session/recording.h"
#include "base/result.h"
#include "os/file/files.h"
#include "os/process/interactive_child.h"
#include "os/process/processes.h"
#include "rt/loop.h"
#include "spec/settings.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace muster::agent {

/// The most that is read of a guest's output at once.
inline constexpr size_t kGuestPieceBytes = 32U << 10;

/// Starts what people run inside attempts.
class Guests {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Processes& processes;
    os::Files& files;
    /// The job's own settings; called once they are known.
    std::function<const spec::Recording&()> recording;
  };

  explicit Guests(Deps deps) : deps_(std::move(deps)) {}

  /// Runs a command with the environment of an attempt, in its program's working folder. If the job
  /// says so, its terminal is recorded beside the attempt's output; an error of the disk then makes
  /// this call fail.
  [[nodiscard]] Result<std::unique_ptr<os::InteractiveChild>> spawn(
      const wire::ExecRequest& request, const TaskRun& run,
      os::InteractiveChild::Handlers handlers);
  [[nodiscard]] os::Processes& processes() const { return deps_.processes; }

 private:
  [[nodiscard]] Result<std::unique_ptr<Recording>> record(const wire::ExecRequest& request,
                                                          const TaskRun& run);

  Deps deps_;
};

/// Hands input to a guest. Returns how much of the message, which has `bytes`, is consumed now; the
/// rest follows when the guest has taken it.
[[nodiscard]] size_t give_input(os::Processes& processes, os::InteractiveChild& guest,
                                const wire::ExecInput& input, size_t bytes);

/// How much of a guest's output its stream has credit for, keeping room for the message of its end.
[[nodiscard]] size_t output_room(const wire::StreamLedger& ledger);

/// Returns the exit as shells report it.
[[nodiscard]] wire::ExecExited exit_of(const os::Exit& exit);
/// For a command that could not be run.
[[nodiscard]] wire::ExecExited exit_of(const Error& error);

}  // namespace muster::agent

#pragma once

#include "agent/attempt/task_run.h"
#include "base/result.h"
#include "os/interactive_child.h"
#include "os/processes.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <cstddef>
#include <memory>

namespace muster::agent {

/// The most that is read of a guest's output at once.
inline constexpr size_t kGuestPieceBytes = 32U << 10;

/// Runs a command with the environment of an attempt, in the folder where its program works.
[[nodiscard]] Result<std::unique_ptr<os::InteractiveChild>> spawn_guest(
    os::Processes& processes, const wire::ExecRequest& request, const TaskRun& run,
    os::InteractiveChild::Handlers handlers);

/// Hands input to a guest. Returns how much of the message, which has `bytes`, is done with now;
/// the rest is when the guest has taken it.
[[nodiscard]] size_t give_input(os::Processes& processes, os::InteractiveChild& guest,
                                const wire::ExecInput& input, size_t bytes);

/// How much of a guest's output its stream has credit for; the message of its end keeps a place.
[[nodiscard]] size_t output_room(const wire::StreamLedger& ledger);

/// As shells tell it.
[[nodiscard]] wire::ExecExited exit_of(const os::Exit& exit);
/// Of a command that could not be run.
[[nodiscard]] wire::ExecExited exit_of(const Error& error);

}  // namespace muster::agent

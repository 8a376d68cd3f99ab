#pragma once

#include "os/process/interactive_child.h"
#include "rt/io_loop.h"

#include <memory>
#include <optional>

namespace muster::os {

/// Starts a child with three pipes, or with a terminal of its own. What `options` says about
/// streams and grouping is ignored: the child leads a session.
[[nodiscard]] Result<std::unique_ptr<InteractiveChild>> spawn_interactive(
    rt::IoLoop& loop, SpawnOptions options, std::optional<WindowSize> terminal,
    InteractiveChild::Handlers handlers);

}  // namespace muster::os

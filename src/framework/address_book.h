#pragma once

#include "job/plan.h"
#include "job/view.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace muster::framework {

/// The longest text put into one variable: the kernel allows 128 KiB, name included.
inline constexpr size_t kInlineBytesMax = 96 << 10;

/// The maximum number of tasks whose addresses certainly fit into one variable.
inline constexpr size_t kInlineTasksMax = kInlineBytesMax / 24;

/// Returns the view as JSON, {"worker":["host:port",...],...}: every role in the order of the spec,
/// every task at its index, with null for a task without an address. This is the text of
/// MUSTER_VIEW_FILE.
[[nodiscard]] std::string view_json(const job::Plan& plan, const job::View& view);

/// What to write if a task has no address.
enum class Gaps : uint8_t {
  Skip,   ///< Nothing: later tasks move up, as with TonY.
  Index,  ///< The role becomes an object {"0":"host:port","2":...}, as TensorFlow reads it.
};

/// Returns the same for those of the `wanted` roles that have members.
[[nodiscard]] std::string cluster_json(const job::Plan& plan, const job::View& view, Gaps gaps,
                                       const std::function<bool(const job::RolePlan&)>& wanted);

}  // namespace muster::framework

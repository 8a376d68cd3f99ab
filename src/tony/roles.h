#pragma once

#include "base/result.h"
#include "spec/spec.h"
#include "tony/reading.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::tony {

/// The type of Horovod's driver in TonY.
inline constexpr std::string_view kOwnDriver = "driver";

/// Who assigns the slots of Horovod's ranks.
enum class Dealer : uint8_t {
  Muster,     ///< Or there is nothing to assign: another framework.
  OwnDriver,  ///< A program of the user's, as in TonY's debug mode: the role kOwnDriver.
};

/// Makes the roles of TonY's job types: `tony.TYPE.instances` and what belongs to it, stages, and
/// what the end of each type means. `spec` has what is common to all. Without any task the command
/// becomes one role, for TonY runs it in its master. Errors: a stage that names no type, a type
/// without a command, more than a limit allows.
[[nodiscard]] Status convert_roles(Reading& reading, spec::Spec& spec, Dealer dealer);

/// The job that runs the command of TonY's master before the tasks of `spec`; nullopt if none is
/// wanted.
[[nodiscard]] std::optional<spec::Spec> preprocessing_of(Reading& reading, const spec::Spec& spec);

}  // namespace muster::tony

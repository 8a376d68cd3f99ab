#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster {

/// Looks up a variable of the process's environment.
using FindVariable = std::function<std::optional<std::string>(std::string_view name)>;

}  // namespace muster::cluster

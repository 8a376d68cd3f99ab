#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster {

/// Looks a variable of the process's environment up.
using FindVariable = std::function<std::optional<std::string>(std::string_view name)>;

}  // namespace muster::cluster

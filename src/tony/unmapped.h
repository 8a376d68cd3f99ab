#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::tony {

/// Why a setting of TonY has no place in a specification, and what does its work; nullopt for one
/// that no version of TonY knows.
[[nodiscard]] std::optional<std::string_view> why_unmapped(std::string_view name);

}  // namespace muster::tony

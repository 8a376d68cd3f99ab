#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// Base64 with '+', '/' and padding (RFC 4648, section 4).
[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Reads it back, with or without padding; nullopt for what is not base64.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace muster

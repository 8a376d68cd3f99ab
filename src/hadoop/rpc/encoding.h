#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// Lower-case hexadecimal digits of `bytes`.
[[nodiscard]] std::string hex(std::string_view bytes);
/// Returns the bytes of hexadecimal digits; nothing if there is anything else, or an odd number of
/// digits.
[[nodiscard]] std::optional<std::string> unhex(std::string_view digits);
/// Base64 with the standard alphabet, padded, on one line.
[[nodiscard]] std::string base64(std::string_view bytes);

/// Appends 4 bytes, the highest first.
void append_be32(std::string& out, uint32_t value);
/// Reads 4 bytes, the highest first; `bytes` has at least 4.
[[nodiscard]] uint32_t read_be32(std::string_view bytes);

/// Compares in constant time for texts of one size, so that the time does not reveal where they
/// differ.
[[nodiscard]] bool equal_secrets(std::string_view left, std::string_view right);

}  // namespace muster::hadoop::rpc

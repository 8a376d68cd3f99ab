#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

/// Returns the CRC-32C (Castagnoli) of `bytes`, by the processor's instruction where it has one.
[[nodiscard]] uint32_t crc32c(std::string_view bytes);

/// The same by tables, for processors without the instruction.
[[nodiscard]] uint32_t crc32c_portable(std::string_view bytes);

/// The CRC-32C as TFRecord files keep it: rotated and offset, so that the checksum of bytes that
/// hold checksums stays a good one.
[[nodiscard]] uint32_t masked_crc32c(std::string_view bytes);

}  // namespace muster

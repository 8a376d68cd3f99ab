#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::hadoop::hdfs {

/// Most bytes that a varint of 64 bits takes.
inline constexpr size_t kVarintBytesMax = 10;

/// Takes an unsigned varint from the front of `bytes`; nullopt (and `bytes` as it was) if it is cut
/// off or longer than 64 bits.
[[nodiscard]] std::optional<uint64_t> take_varint(std::string_view& bytes);

/// Appends `value` as an unsigned varint.
void put_varint(std::string& to, uint64_t value);

}  // namespace muster::hadoop::hdfs

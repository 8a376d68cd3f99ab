#pragma once

#include "spec/keys/row.h"
#include "spec/settings.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// What the codecs of single values share. Each adds a problem and leaves `out` alone if the node
/// is wrong.
namespace scalar {

/// Returns the text of a scalar; adds a problem and returns nullopt for anything else.
[[nodiscard]] std::optional<std::string_view> text(Decoder& decoder, const Node& node,
                                                   const Row& row, std::string_view wanted);
void decode_text(Decoder& decoder, const Node& node, const Row& row, std::string& out);
void decode_bool(Decoder& decoder, const Node& node, const Row& row, bool& out);
[[nodiscard]] std::optional<int64_t> whole_number(Decoder& decoder, const Node& node,
                                                  const Row& row, int64_t min, int64_t max);
void decode_size(Decoder& decoder, const Node& node, const Row& row, Bytes& out);
/// `none`, if the row allows it, resets `out`.
void decode_duration(Decoder& decoder, const Node& node, const Row& row,
                     std::optional<Duration>& out);
[[nodiscard]] std::optional<size_t> choice(Decoder& decoder, const Node& node, const Row& row,
                                           std::span<const std::string_view> names);
[[nodiscard]] Shape number_shape(const Row& row, int64_t min, int64_t max);
[[nodiscard]] Shape text_shape();
[[nodiscard]] Shape size_shape(const Row& row);
/// `none`: whether that is a valid value, too.
[[nodiscard]] Shape duration_shape(const Row& row, bool none);
[[nodiscard]] Shape choice_shape(std::vector<std::string_view> names);

}  // namespace scalar

}  // namespace muster::spec

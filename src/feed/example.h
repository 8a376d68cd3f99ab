#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// tensorflow.Example, a map from names to lists of numbers or bytes, as its protocol message
/// (fields: Example.features 1; Features.feature 1, a map; Feature bytes_list 1, float_list 2,
/// int64_list 3; each list's value 1). Without a protobuf library: the feed is loaded into programs
/// that bring their own.
namespace muster::feed {

enum class FeatureKind : uint8_t { None = 0, Bytes = 1, Float = 2, Int64 = 3 };

/// One feature; only the list of its kind is filled.
struct Feature {
  std::string name;
  FeatureKind kind = FeatureKind::None;
  std::vector<std::string> bytes;
  std::vector<float> floats;
  std::vector<int64_t> integers;

  bool operator==(const Feature&) const = default;
};

/// The message's bytes, features in the order given.
[[nodiscard]] std::string encode_example(const std::vector<Feature>& features);

/// Corrupt if the message is damaged. If a name occurs twice, the last one counts.
[[nodiscard]] Result<std::vector<Feature>> decode_example(std::string_view message);

}  // namespace muster::feed

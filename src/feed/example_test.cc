#include "feed/example.h"

#include <gtest/gtest.h>

#include <random>

namespace muster::feed {
namespace {

std::vector<Feature> sample() {
  return {{.name = "image", .kind = FeatureKind::Bytes, .bytes = {std::string("\0\xff", 2), ""}},
          {.name = "label", .kind = FeatureKind::Int64, .integers = {0, -1, INT64_MAX}},
          {.name = "weights", .kind = FeatureKind::Float, .floats = {1.5F, -2.0F}},
          {.name = "empty", .kind = FeatureKind::Int64},
          {.name = "unset"}};
}

TEST(Example, ComesBackAsItWas) {
  const auto decoded = decode_example(encode_example(sample()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, sample());
}

// Written by TensorFlow: {"a": int64 [7]}, packed and not.
TEST(Example, ReadsPackedAndSingleValues) {
  const std::vector<Feature> seven = {{.name = "a", .kind = FeatureKind::Int64, .integers = {7}}};
  EXPECT_EQ(encode_example(seven),
            std::string("\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x07", 14));
  EXPECT_EQ(decode_example(std::string("\x0a\x0b\x0a\x09\x0a\x01\x61\x12\x04\x1a\x02\x08\x07", 13))
                .value(),
            seven);
}

TEST(Example, DamageIsNoticedOrHarmless) {
  const std::string message = encode_example(sample());
  for (size_t size = 1; size < message.size(); ++size) {
    EXPECT_FALSE(decode_example(std::string_view(message).substr(0, size)).has_value()) << size;
  }
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = message;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)decode_example(damaged).has_value();
  }
}

}  // namespace
}  // namespace muster::feed

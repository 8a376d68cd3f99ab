#include "feed/example.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace muster::feed {
namespace {

enum class Wire : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void put_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  put_varint(out, field << 3 | static_cast<uint32_t>(Wire::Bytes));
  put_varint(out, bytes.size());
  out += bytes;
}

std::string encode_list(const Feature& feature) {
  std::string values;
  switch (feature.kind) {
    case FeatureKind::None:
      break;
    case FeatureKind::Bytes:
      for (const std::string& value : feature.bytes) {
        put_bytes(values, 1, value);
      }
      break;
    case FeatureKind::Float:
      if (!feature.floats.empty()) {
        put_bytes(values, 1,
                  {reinterpret_cast<const char*>(feature.floats.data()),
                   feature.floats.size() * sizeof(float)});
      }
      break;
    case FeatureKind::Int64: {
      std::string packed;
      for (const int64_t value : feature.integers) {
        put_varint(packed, static_cast<uint64_t>(value));
      }
      if (!packed.empty()) {
        put_bytes(values, 1, packed);
      }
      break;
    }
  }
  return values;
}

/// Fields of a message, one after another.
class Fields {
 public:
  explicit Fields(std::string_view message) : left_(message) {}

  [[nodiscard]] bool more() const { return !left_.empty() && !damaged_; }
  [[nodiscard]] bool damaged() const { return damaged_; }
  [[nodiscard]] uint64_t field() const { return field_; }
  [[nodiscard]] Wire wire() const { return wire_; }
  [[nodiscard]] uint64_t number() const { return number_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  /// Reads the next field; returns false, and becomes damaged, if it is not a field.
  bool next() {
    uint64_t tag = 0;
    if (!take_varint(tag)) {
      return false;
    }
    field_ = tag >> 3;
    wire_ = static_cast<Wire>(tag & 7U);
    switch (wire_) {
      case Wire::Varint:
        return take_varint(number_);
      case Wire::Fixed64:
        return take_bytes(sizeof(uint64_t));
      case Wire::Fixed32:
        return take_bytes(sizeof(uint32_t));
      case Wire::Bytes: {
        uint64_t size = 0;
        return take_varint(size) && take_bytes(size);
      }
    }
    damaged_ = true;
    return false;
  }

  bool take_varint(uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) {
        return true;
      }
    }
    damaged_ = true;
    return false;
  }

 private:
  bool take_bytes(uint64_t size) {
    if (size > left_.size()) {
      damaged_ = true;
      return false;
    }
    bytes_ = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }

  std::string_view left_;
  bool damaged_ = false;
  uint64_t field_ = 0;
  Wire wire_ = Wire::Varint;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

float float_of(std::string_view four) {
  float value = 0;
  std::memcpy(&value, four.data(), sizeof(value));
  return value;
}

/// One value, or many packed into one field.
bool decode_values(const Fields& fields, Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::None:
      return true;
    case FeatureKind::Bytes:
      feature.bytes.emplace_back(fields.bytes());
      return fields.wire() == Wire::Bytes;
    case FeatureKind::Float:
      if (fields.bytes().size() % sizeof(float) != 0 ||
          (fields.wire() != Wire::Bytes && fields.wire() != Wire::Fixed32)) {
        return false;
      }
      for (size_t at = 0; at < fields.bytes().size(); at += sizeof(float)) {
        feature.floats.push_back(float_of(fields.bytes().substr(at)));
      }
      return true;
    case FeatureKind::Int64: {
      if (fields.wire() == Wire::Varint) {
        feature.integers.push_back(static_cast<int64_t>(fields.number()));
        return true;
      }
      if (fields.wire() != Wire::Bytes) {
        return false;
      }
      Fields packed(fields.bytes());
      uint64_t value = 0;
      while (packed.more() && packed.take_varint(value)) {
        feature.integers.push_back(static_cast<int64_t>(value));
      }
      return !packed.damaged();
    }
  }
  return false;
}

bool decode_feature(std::string_view message, Feature& feature) {
  Fields fields(message);
  while (fields.more() && fields.next()) {
    if (fields.wire() != Wire::Bytes || fields.field() < 1 || fields.field() > 3) {
      continue;
    }
    feature.kind = static_cast<FeatureKind>(fields.field());
    Fields list(fields.bytes());
    while (list.more() && list.next()) {
      if (list.field() == 1 && !decode_values(list, feature)) {
        return false;
      }
    }
    if (list.damaged()) {
      return false;
    }
  }
  return !fields.damaged();
}

bool decode_entry(std::string_view message, Feature& feature) {
  Fields fields(message);
  while (fields.more() && fields.next()) {
    if (fields.wire() != Wire::Bytes) {
      continue;
    }
    if (fields.field() == 1) {
      feature.name = fields.bytes();
    } else if (fields.field() == 2 && !decode_feature(fields.bytes(), feature)) {
      return false;
    }
  }
  return !fields.damaged();
}

bool decode_features(std::string_view message, std::vector<Feature>& features) {
  Fields fields(message);
  while (fields.more() && fields.next()) {
    if (fields.field() != 1 || fields.wire() != Wire::Bytes) {
      continue;
    }
    Feature feature;
    if (!decode_entry(fields.bytes(), feature)) {
      return false;
    }
    std::erase_if(features, [&](const Feature& other) { return other.name == feature.name; });
    features.push_back(std::move(feature));
  }
  return !fields.damaged();
}

}  // namespace

std::string encode_example(const std::vector<Feature>& features) {
  std::string map;
  for (const Feature& feature : features) {
    std::string value;
    if (feature.kind != FeatureKind::None) {
      put_bytes(value, static_cast<uint32_t>(feature.kind), encode_list(feature));
    }
    std::string entry;
    put_bytes(entry, 1, feature.name);
    put_bytes(entry, 2, value);
    put_bytes(map, 1, entry);
  }
  std::string example;
  put_bytes(example, 1, map);
  return example;
}

Result<std::vector<Feature>> decode_example(std::string_view message) {
  std::vector<Feature> features;
  Fields fields(message);
  bool sound = true;
  while (sound && fields.more() && fields.next()) {
    if (fields.field() == 1 && fields.wire() == Wire::Bytes) {
      sound = decode_features(fields.bytes(), features);
    }
  }
  if (!sound || fields.damaged()) {
    return Error{.code = Errc::Corrupt,
                 .blame = Blame::User,
                 .message = "a record is not a tensorflow.Example"};
  }
  return features;
}

}  // namespace muster::feed

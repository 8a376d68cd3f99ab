#include "scalars/tensor.h"

#include "scalars/message.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace muster::scalars {
namespace {

static_assert(std::endian::native == std::endian::little);

/// The numeric types of tensorflow.DataType.
enum class Type : uint8_t {
  None = 0,
  Float = 1,
  Double = 2,
  Int32 = 3,
  Uint8 = 4,
  Int16 = 5,
  Int8 = 6,
  Int64 = 9,
  Bool = 10,
  Bfloat16 = 14,
  Uint16 = 17,
  Half = 19,
  Uint32 = 22,
  Uint64 = 23,
};

template <class T>
std::optional<T> whole(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) {
    return std::nullopt;
  }
  std::array<char, sizeof(T)> raw{};
  std::ranges::copy(bytes, raw.begin());
  return std::bit_cast<T>(raw);
}

template <class T>
std::optional<double> number_in(std::string_view bytes) {
  const std::optional<T> value = whole<T>(bytes);
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

double half(uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10U) & 0x1fU;
  const double fraction = bits & 0x3ffU;
  if (exponent == 0x1f) {
    return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(fraction + 1024, exponent - 25);
}

double bfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U); }

std::optional<double> from_content(Type type, std::string_view content) {
  switch (type) {
    case Type::Float:
      return number_in<float>(content);
    case Type::Double:
      return number_in<double>(content);
    case Type::Int32:
      return number_in<int32_t>(content);
    case Type::Uint8:
    case Type::Bool:
      return number_in<uint8_t>(content);
    case Type::Int16:
      return number_in<int16_t>(content);
    case Type::Int8:
      return number_in<int8_t>(content);
    case Type::Int64:
      return number_in<int64_t>(content);
    case Type::Uint16:
      return number_in<uint16_t>(content);
    case Type::Uint32:
      return number_in<uint32_t>(content);
    case Type::Uint64:
      return number_in<uint64_t>(content);
    case Type::Half: {
      const std::optional<uint16_t> bits = whole<uint16_t>(content);
      return bits ? std::optional<double>(half(*bits)) : std::nullopt;
    }
    case Type::Bfloat16: {
      const std::optional<uint16_t> bits = whole<uint16_t>(content);
      return bits ? std::optional<double>(bfloat16(*bits)) : std::nullopt;
    }
    case Type::None:
      break;
  }
  return std::nullopt;
}

/// Converts a varint of a list of integers according to its type.
std::optional<double> from_varint(Type type, uint64_t number) {
  switch (type) {
    case Type::Int32:
    case Type::Int16:
    case Type::Int8:
    case Type::Int64:
      return static_cast<double>(static_cast<int64_t>(number));
    case Type::Uint8:
    case Type::Bool:
    case Type::Uint16:
    case Type::Uint32:
    case Type::Uint64:
      return static_cast<double>(number);
    case Type::Half:
      return half(static_cast<uint16_t>(number));
    case Type::Bfloat16:
      return bfloat16(static_cast<uint16_t>(number));
    case Type::None:
    case Type::Float:
    case Type::Double:
      break;
  }
  return std::nullopt;
}

/// Returns which field holds the values of a type.
uint64_t field_of(Type type) {
  switch (type) {
    case Type::Float:
      return 5;
    case Type::Double:
      return 6;
    case Type::Int32:
    case Type::Uint8:
    case Type::Int16:
    case Type::Int8:
    case Type::Uint16:
      return 7;
    case Type::Int64:
      return 10;
    case Type::Bool:
      return 11;
    case Type::Half:
    case Type::Bfloat16:
      return 13;
    case Type::Uint32:
      return 16;
    case Type::Uint64:
      return 17;
    case Type::None:
      break;
  }
  return 0;
}

bool has_one_value(std::string_view shape) {
  constexpr uint64_t kDim = 2;
  Message message(shape);
  while (message.next()) {
    if (message.is(kDim, Message::Kind::Bytes)) {
      uint64_t size = 0;
      Message dim(message.bytes());
      while (dim.next()) {
        size = dim.is(1, Message::Kind::Varint) ? dim.number() : size;
      }
      if (size != 1) {
        return false;
      }
    }
  }
  return !message.damaged();
}

/// Returns the first value of a list, single or packed.
std::optional<double> from_list(Type type, const Message& field) {
  switch (field.kind()) {
    case Message::Kind::Varint:
      return from_varint(type, field.number());
    case Message::Kind::Fixed32:
    case Message::Kind::Fixed64:
      return from_content(type, field.bytes());
    case Message::Kind::Bytes:
      break;
  }
  if (type == Type::Float || type == Type::Double) {
    return from_content(type, field.bytes());
  }
  Message packed(field.bytes());
  uint64_t number = 0;
  return packed.take_varint(number) ? from_varint(type, number) : std::nullopt;
}

}  // namespace

std::optional<double> scalar_of_tensor(std::string_view bytes) {
  constexpr uint64_t kType = 1;
  constexpr uint64_t kShape = 2;
  constexpr uint64_t kContent = 4;
  Type type = Type::None;
  std::optional<double> value;
  Message message(bytes);
  while (message.next()) {
    // Every existing writer writes fields in the order of their numbers: the type first.
    if (message.is(kType, Message::Kind::Varint)) {
      type = message.number() < 64 ? static_cast<Type>(message.number()) : Type::None;
    } else if (message.is(kShape, Message::Kind::Bytes)) {
      if (!has_one_value(message.bytes())) {
        return std::nullopt;
      }
    } else if (message.is(kContent, Message::Kind::Bytes) && !message.bytes().empty()) {
      value = from_content(type, message.bytes());
    } else if (field_of(type) != 0 && message.field() == field_of(type)) {
      value = from_list(type, message);
    }
  }
  return message.damaged() ? std::nullopt : value;
}

}  // namespace muster::scalars

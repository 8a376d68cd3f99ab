#pragma once

#include <cstdint>
#include <string_view>

namespace muster::scalars {

/// The fields of a protobuf message one after the other, without a description of it: event files
/// hold large messages of which we want three numbers. Any bytes are safe to read.
///
///     Message message(bytes);
///     while (message.next()) { switch (message.field()) … }
///     if (message.damaged()) …
class Message {
 public:
  enum class Kind : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  explicit Message(std::string_view bytes) : left_(bytes) {}

  /// Reads the next field; returns false at the end, and if the bytes are not a message.
  bool next();
  [[nodiscard]] bool damaged() const { return damaged_; }

  // Of the field that was read last.
  [[nodiscard]] uint64_t field() const { return field_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(uint64_t field, Kind kind) const {
    return field_ == field && kind_ == kind;
  }
  /// Of a Varint.
  [[nodiscard]] uint64_t number() const { return number_; }
  /// Of any other kind; 8 or 4 bytes of the fixed ones.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  /// Takes one varint off `bytes`; false, and damaged(), if there is none.
  bool take_varint(uint64_t& value);

 private:
  bool take_bytes(uint64_t size);

  std::string_view left_;
  bool damaged_ = false;
  uint64_t field_ = 0;
  Kind kind_ = Kind::Varint;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

}  // namespace muster::scalars

#pragma once

#include "feed/block.h"
#include "feed/python_abi.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::feed {

/// Bytes that grow; unlike a vector they are not cleared first.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer&& other) noexcept;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer();
  /// Room for `count` more bytes at the end, which is then moved behind them.
  [[nodiscard]] std::byte* extend(size_t count);
  void truncate(size_t size) { size_ = size; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// The values of a column while it is filled: small ones are copied here, large ones stay where
/// they are, in their Python objects, until the block is written. A small one among large ones
/// makes them all copies.
class Values {
 public:
  /// Room for `count` more bytes at the end.
  [[nodiscard]] std::byte* extend(size_t count) { return copied_.extend(count); }
  /// Adds the bytes of `owner`, which must not change as long as it lives.
  void add(PyObject* owner, std::span<const std::byte> bytes);
  /// Forgets all but the first `size` bytes: whole values.
  void truncate(size_t size);
  [[nodiscard]] size_t size() const { return kept_.empty() ? copied_.size() : kept_bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return copied_.bytes(); }
  /// Those that were not copied, in order.
  [[nodiscard]] std::vector<std::span<const std::byte>> pieces() const;

 private:
  struct Kept {
    PyRef owner;
    std::span<const std::byte> bytes;
  };
  void gather();

  ByteBuffer copied_;
  std::vector<Kept> kept_;
  size_t kept_bytes_ = 0;
};

/// One column while it is filled.
struct Field {
  Look look = Look::Int;
  Item item = Item::None;
  bool variable = false;
  uint64_t width = 1;
  std::vector<uint64_t> shape;
  std::string name;
  PyRef type;   ///< Of a Scalar: its numpy type; of a Row: its names.
  PyRef key;    ///< Of a Dict's member.
  PyRef dtype;  ///< Of an Array: that of the last row, by which the next one is known.
  std::vector<Field> children;
  Values values;
  std::vector<int64_t> offsets;
};

/// Bytes of one of its items; of Text and Bytes 1.
[[nodiscard]] size_t item_bytes(const Field& field);
/// Forgets all but the first `rows` rows, whole or not.
void truncate(Field& field, uint64_t rows);
/// Bytes of all its buffers and those below it.
[[nodiscard]] size_t bytes_of(const Field& field);
/// The field as a column; its spans are the field's.
[[nodiscard]] Column column_of(const Field& field);

}  // namespace muster::feed

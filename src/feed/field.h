#pragma once

#include "feed/block.h"
#include "feed/python_abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::feed {

/// The values of a column while it is being filled: in a place of the block where they will stay
/// or, without one, or if there are more than it holds, in memory of their own. Not cleared first.
class Values {
 public:
  Values() = default;
  Values(Values&& other) noexcept;
  Values& operator=(Values&& other) noexcept;
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values();
  /// Starts again, in `home`, which must live until the next call of this or of leave().
  void place(std::span<std::byte> home);
  /// Moves the values out of the place into their own memory.
  void leave();
  /// Makes room for `count` more bytes at the end and returns where they go.
  [[nodiscard]] std::byte* extend(size_t count);
  void add(std::span<const std::byte> bytes);
  /// About `count` bytes will follow shortly: prefetches their place into the processor's cache,
  /// since the reading process used it last.
  void expect(size_t count) const;
  /// Forgets all but the first `size` bytes; if these are still in their place, returns there.
  void truncate(size_t size);
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Returns whether all of them are in the place.
  [[nodiscard]] bool at_home() const { return data_ == home_.data(); }

 private:
  void grow(size_t capacity);

  std::byte* data_ = nullptr;  ///< `home_`, or `own_`.
  size_t size_ = 0;
  size_t capacity_ = 0;
  std::span<std::byte> home_;
  size_t at_home_ = 0;  ///< How many of the first bytes are there.
  std::byte* own_ = nullptr;
  size_t own_capacity_ = 0;
};

/// One column while it is being filled.
struct Field {
  Look look = Look::Int;
  Item item = Item::None;
  bool variable = false;
  uint64_t width = 1;
  std::vector<uint64_t> shape;
  std::string name;
  PyRef type;   ///< Of a Scalar: its numpy type; of a Row: its names.
  PyRef key;    ///< Of a Dict's member.
  PyRef dtype;  ///< Of an Array: that of the last row, to recognize the next one.
  std::vector<Field> children;
  Values values;
  std::vector<int64_t> offsets;
  /// Where the offsets go in the block being filled, if the values have a place there.
  std::span<std::byte> offsets_place;
  size_t bytes_per_row = 0;  ///< For variable length: what to expect.
};

/// Has places made for rows of that many bytes, judging by the first row or those of the last
/// block.
inline void expect_rows_of(Field& field, size_t bytes) {
  field.bytes_per_row = std::max<size_t>(bytes + 1, 8);
}
/// Returns the bytes of one of its items; 1 for Text and Bytes.
[[nodiscard]] size_t item_bytes(const Field& field);
/// Forgets all but the first `rows` rows, whether whole or not.
void truncate(Field& field, uint64_t rows);
/// Returns the bytes of all its buffers and those below it.
[[nodiscard]] size_t bytes_of(const Field& field);
/// Returns the field as a column; the spans are the field's.
[[nodiscard]] Column column_of(const Field& field);

}  // namespace muster::feed

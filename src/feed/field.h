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

/// The values of a column while it is filled: in a place of the block where they will stay, or,
/// without one, or with more than it takes, in memory of their own. Not cleared first.
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
  /// Takes the values along from the place.
  void leave();
  /// Room for `count` more bytes at the end, which is then moved behind them.
  [[nodiscard]] std::byte* extend(size_t count);
  void add(std::span<const std::byte> bytes);
  /// About `count` bytes come next, after a while: has the processor fetch their place meanwhile,
  /// which the reading process had last.
  void expect(size_t count) const;
  /// Forgets all but the first `size` bytes; if these are in their place still, goes back there.
  void truncate(size_t size);
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// All of them are in the place.
  [[nodiscard]] bool at_home() const { return data_ == home_.data(); }

 private:
  void grow(size_t capacity);

  std::byte* data_ = nullptr;  ///< `home_`, or `own_`.
  size_t size_ = 0;
  size_t capacity_ = 0;
  std::span<std::byte> home_;
  size_t at_home_ = 0;  ///< So many of the first bytes stand there.
  std::byte* own_ = nullptr;
  size_t own_capacity_ = 0;
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
  /// Where the offsets go in the block that is filled, if the values have a place there.
  std::span<std::byte> offsets_place;
  size_t bytes_per_row = 0;  ///< Of a variable one: what to expect.
};

/// Has places made for rows of so many bytes, as the first one or those of the last block had.
inline void expect_rows_of(Field& field, size_t bytes) {
  field.bytes_per_row = std::max<size_t>(bytes + 1, 8);
}
/// Bytes of one of its items; of Text and Bytes 1.
[[nodiscard]] size_t item_bytes(const Field& field);
/// Forgets all but the first `rows` rows, whole or not.
void truncate(Field& field, uint64_t rows);
/// Bytes of all its buffers and those below it.
[[nodiscard]] size_t bytes_of(const Field& field);
/// The field as a column; its spans are the field's.
[[nodiscard]] Column column_of(const Field& field);

}  // namespace muster::feed

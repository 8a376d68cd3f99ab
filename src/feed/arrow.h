#pragma once

#include "base/result.h"
#include "feed/block.h"
#include "feed/ring.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

// The Arrow C data interface: two structures whose layout that specification fixes.
// NOLINTBEGIN(readability-identifier-naming): so are their names.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}
// NOLINTEND(readability-identifier-naming)

namespace muster::feed {

/// A record batch as a block: buffers are used in place if Arrow's layout is the block's, and
/// converted if not (bits, 32-bit offsets). Numbers, booleans, text, bytes and lists of numbers,
/// with missing values at the top level of a column.
class ArrowImport {
 public:
  /// `array` must be a struct (a record batch) and must stay alive as long as the import.
  /// Unsupported, with the column and its format, for other types; InvalidArgument for a damaged
  /// structure.
  [[nodiscard]] static Result<std::unique_ptr<ArrowImport>> of(const ArrowSchema& schema,
                                                               const ArrowArray& array);
  /// Returns its rows [start, start + count).
  [[nodiscard]] Column slice(uint64_t start, uint64_t count);
  [[nodiscard]] uint64_t rows() const { return rows_; }
  /// Returns the approximate size of all rows in bytes.
  [[nodiscard]] uint64_t bytes() const;

 private:
  explicit ArrowImport(uint64_t rows) : rows_(rows) {}
  [[nodiscard]] Status add(const ArrowSchema& schema, const ArrowArray& array, int64_t offset);
  [[nodiscard]] Status add_numbers(Column& column, const ArrowArray& array, uint64_t first,
                                   char format);
  [[nodiscard]] Status add_variable(Column& column, const ArrowArray& array, uint64_t first,
                                    bool wide);

  uint64_t rows_;
  std::vector<Column> columns_;
  std::deque<std::vector<uint8_t>> bytes_;  ///< Buffers of converted values.
  std::deque<std::vector<int64_t>> offsets_;
  std::deque<std::vector<int64_t>> slices_;  ///< Offsets of the last slice.
};

/// Hands out a block's columns as one Arrow struct without copying (only bitmaps of missing values
/// are made): the array keeps the lease until its consumer releases it. Unsupported for Pickled.
[[nodiscard]] Status export_arrow(const std::shared_ptr<const Lease>& lease, ArrowSchema& schema,
                                  ArrowArray& array);

}  // namespace muster::feed

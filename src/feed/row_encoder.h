#pragma once

#include "feed/field.h"
#include "feed/python_abi.h"
#include "feed/python_layout.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace muster::feed {

/// The types that only Python modules know; borrowed, must outlive the encoder. `row` may be null
/// if pyspark is absent, the others if numpy is.
struct PythonTypes {
  PyObject* ndarray = nullptr;
  PyObject* numpy_scalar = nullptr;  ///< numpy.generic
  PyObject* row = nullptr;           ///< pyspark.sql.Row
};

/// Turns Python rows into columns. The first row determines the columns; a row that differs ends
/// the block. Everything runs under the interpreter's lock, in one thread at a time.
class RowEncoder {
 public:
  /// Why take() stopped.
  enum class Stop : uint8_t {
    End,        ///< The source has no more rows, or raised.
    Full,       ///< The block is as large as asked.
    Different,  ///< The next row has other columns: publish, forget, continue.
    Foreign,    ///< The next row has no columns at all: publish, forget, pickle it.
    Enough,     ///< As many rows as requested, or the time limit was reached.
    Homeless,   ///< The next row begins a block, which use() has not given yet.
  };

  /// The limits at which take() stops with rows left in the source.
  struct Most {
    uint64_t rows = 0;
    size_t bytes = 0;  ///< Of the block.
    std::chrono::nanoseconds time{};
  };

  explicit RowEncoder(PythonTypes types) : types_(types), layout_(types.ndarray) {}

  /// Takes rows from a Python iterator, each as soon as it is there, while it is in the cache.
  /// Returns how many. A row that stopped it without being taken is kept, and comes first in the
  /// next call. Leaves no Python error behind but the source's own.
  uint64_t take(PyObject* iterator, const Most& most, Stop& stop);
  /// Gives up the row that the last take() kept; null if there is none.
  [[nodiscard]] PyRef take_kept() { return std::move(kept_); }
  /// The memory of the block that the next rows are for; kLine-aligned. Rows go straight into it if
  /// it has room for at least one; until the next call of next_block(), forget() or leave().
  void use(std::span<std::byte> block);

  [[nodiscard]] uint64_t rows() const { return rows_; }
  /// Returns whether all rows taken so far are in the block.
  [[nodiscard]] bool in_place() const;
  /// Completes that block; returns how many of its bytes it takes.
  [[nodiscard]] size_t finish();
  /// Moves the rows out of the block, which is then free for other uses.
  void leave();
  /// Returns what was taken so far; its spans are valid until anything else is called.
  [[nodiscard]] Column column() const;
  /// Forgets the rows and the block; the columns stay, with their memory, for the next one.
  void next_block();
  /// Forgets rows, columns, and the block.
  void forget();

 private:
  [[nodiscard]] bool put(PyObject* row, size_t limit, Stop& stop);
  void place();
  void find_leaves(Field& field);
  [[nodiscard]] bool infer(PyObject* value, Field& field, int depth) const;
  [[nodiscard]] bool infer_sequence(PyObject* value, bool list, Field& field, int depth) const;
  [[nodiscard]] bool infer_dict(PyObject* value, Field& field, int depth) const;
  [[nodiscard]] bool infer_row(PyObject* value, Field& field, int depth) const;
  [[nodiscard]] bool infer_buffer(PyObject* value, Field& field) const;
  [[nodiscard]] bool add(PyObject* value, Field& field);
  [[nodiscard]] bool add_sequence(PyObject* value, Field& field);
  [[nodiscard]] bool add_dict(PyObject* value, Field& field);
  [[nodiscard]] bool add_row(PyObject* value, Field& field);
  [[nodiscard]] bool store_numbers(PyObject* value, bool list, ptrdiff_t size, Field& field) const;

  PythonTypes types_;
  PythonLayout layout_;
  Field root_;
  std::vector<Field*> leaves_;  ///< Of root_, while the rows have their places.
  std::span<std::byte> block_;
  uint64_t places_ = 0;  ///< How many rows have one in the block; 0: none has.
  PyRef kept_;
  uint64_t rows_ = 0;
  bool known_ = false;   ///< root_ describes rows.
  bool ragged_ = false;  ///< Lists of numbers differ in length: they get offsets.
};

}  // namespace muster::feed

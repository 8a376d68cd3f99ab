#pragma once

#include "feed/block.h"
#include "feed/python_abi.h"

#include <cstdint>

namespace muster::feed {

/// Objects needed for a block's rows that only Python can make.
struct PythonMakers {
  /// One numpy array of [rows, *shape] for each Array and Scalar node, in the nodes' order; its
  /// members become the rows' values, so it keeps the block's lease. A list.
  PyObject* arrays = nullptr;
  /// Called as make_row(names, values) for a pyspark Row; null if pyspark is absent: rows are then
  /// tuples.
  PyObject* make_row = nullptr;
};

/// Makes a list of the rows [start, start + count) as they were before encoding: the same types,
/// equal values. Under the interpreter's lock. Null with a Python error set if Python refused
/// (memory, a factory that raised). Not for Pickled blocks.
[[nodiscard]] PyObject* rows_of(const BlockView& view, uint64_t start, uint64_t count,
                                const PythonMakers& makers);

}  // namespace muster::feed

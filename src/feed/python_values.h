#pragma once

#include "feed/block.h"
#include "feed/python_abi.h"

/// Examines Python values: exact types only, so that values come out the way they went in.
namespace muster::feed {

inline bool is(PyObject* object, const PyObject& type) { return object->ob_type == &type; }

/// Returns which item a plain Python number is stored as; None for everything else.
inline Item number_of(PyObject* value) {
  if (is(value, PyFloat_Type)) {
    return Item::Double;
  }
  if (is(value, PyLong_Type)) {
    return Item::Int64;
  }
  return is(value, PyBool_Type) ? Item::Bool : Item::None;
}

/// Returns which item a buffer's format means on this machine; None for any that have no column.
[[nodiscard]] Item item_of(const char* format);

/// Returns a member of a list or, if `list` is false, of a tuple.
inline PyObject* member(PyObject* sequence, bool list, ptrdiff_t index) {
  return list ? PyList_GetItem(sequence, index) : PyTuple_GetItem(sequence, index);
}

inline ptrdiff_t length(PyObject* sequence, bool list) {
  return list ? PyList_Size(sequence) : PyTuple_Size(sequence);
}

}  // namespace muster::feed

#pragma once

#include "feed/block.h"
#include "feed/python_abi.h"

/// Looking at Python values: exact types only, so that what comes out is what went in.
namespace muster::feed {

inline bool is(PyObject* object, const PyObject& type) { return object->ob_type == &type; }

/// Which item a plain Python number is stored as; None for everything else.
inline Item number_of(PyObject* value) {
  if (is(value, PyFloat_Type)) {
    return Item::Double;
  }
  if (is(value, PyLong_Type)) {
    return Item::Int64;
  }
  return is(value, PyBool_Type) ? Item::Bool : Item::None;
}

/// Which item a buffer's format means on this machine; None for all that have no column.
[[nodiscard]] Item item_of(const char* format);

/// Of a list, else of a tuple.
inline PyObject* member(PyObject* sequence, bool list, ptrdiff_t index) {
  return list ? PyList_GetItem(sequence, index) : PyTuple_GetItem(sequence, index);
}

inline ptrdiff_t length(PyObject* sequence, bool list) {
  return list ? PyList_Size(sequence) : PyTuple_Size(sequence);
}

}  // namespace muster::feed

#pragma once

#include "feed/python_abi.h"

#include <cstddef>
#include <cstring>

namespace muster::feed {

/// The content of a numpy.ndarray: the same in all versions, because compiled modules rely on it.
struct ArrayFields {
  static constexpr int kContiguous = 0x0001;  ///< Of flags: in C order.
  PyObject head;
  const std::byte* data;
  int dimensions;
  const ptrdiff_t* shape;
  const ptrdiff_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;
};

/// Where the values of floats, tuples, lists and arrays are stored in this process's Python. The
/// stable interface requires a call for each value, which costs more than the value. So this
/// examines objects whose content it knows; whatever is not laid out as in CPython so far is read
/// by calls. Requires the interpreter's lock.
class PythonLayout {
 public:
  /// `ndarray` is numpy's type, or null.
  explicit PythonLayout(PyObject* ndarray);

  /// Returns the members of a list or a tuple; null if only calls can tell.
  [[nodiscard]] PyObject* const* members(PyObject* sequence, bool list) const {
    if (!known_) {
      return nullptr;
    }
    const auto* at = reinterpret_cast<const std::byte*>(sequence) + kMembers;
    if (!list) {
      return reinterpret_cast<PyObject* const*>(at);
    }
    return *reinterpret_cast<PyObject* const* const*>(at);
  }
  /// The same for one that is being made, whose members are not there yet.
  [[nodiscard]] PyObject** slots(PyObject* sequence, bool list) const {
    return const_cast<PyObject**>(members(sequence, list));
  }
  /// Returns the value of a float. Only if members() is not null.
  [[nodiscard]] static double float_of(PyObject* object) {
    double value = 0;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(object) + sizeof(PyObject),
                sizeof(value));
    return value;
  }
  /// Returns the content of an ndarray; null if only calls can tell.
  [[nodiscard]] const ArrayFields* array(PyObject* object) const {
    return arrays_known_ ? reinterpret_cast<const ArrayFields*>(object) : nullptr;
  }

 private:
  static constexpr size_t kSize = sizeof(PyObject);  ///< Of a list or a tuple: how many members.
  static constexpr size_t kMembers = kSize + sizeof(ptrdiff_t);

  [[nodiscard]] static bool look();
  [[nodiscard]] static bool look_at_array(PyObject* ndarray);

  bool known_ = false;
  bool arrays_known_ = false;
};

}  // namespace muster::feed

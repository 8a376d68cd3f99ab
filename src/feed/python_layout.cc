#include "feed/python_layout.h"

#include <array>

namespace muster::feed {
namespace {

constexpr std::array<double, 2> kValues{0.1, -3.5e77};

template <class T>
T at(PyObject* object, size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(object) + offset);
}

}  // namespace

PythonLayout::PythonLayout(PyObject* ndarray) : known_(look()) {
  arrays_known_ = known_ && ndarray != nullptr && look_at_array(ndarray);
}

bool PythonLayout::look() {
  const PyRef tuple = PyRef::own(PyTuple_New(kValues.size()));
  const PyRef list = PyRef::own(PyList_New(kValues.size()));
  if (!tuple || !list) {
    PyErr_Clear();
    return false;
  }
  std::array<PyObject*, kValues.size()> floats{};
  for (size_t i = 0; i < floats.size(); ++i) {
    PyRef one = PyRef::own(PyFloat_FromDouble(kValues[i]));
    if (!one || float_of(one.get()) != kValues[i]) {
      PyErr_Clear();
      return false;
    }
    floats[i] = one.get();
    PyList_SetItem(list.get(), static_cast<ptrdiff_t>(i), PyRef::share(one.get()).release());
    PyTuple_SetItem(tuple.get(), static_cast<ptrdiff_t>(i), one.release());
  }
  constexpr auto kCount = static_cast<ptrdiff_t>(kValues.size());
  if (at<ptrdiff_t>(tuple.get(), kSize) != kCount || at<ptrdiff_t>(list.get(), kSize) != kCount) {
    return false;
  }
  const auto* members = at<PyObject* const*>(list.get(), kMembers);
  for (size_t i = 0; i < floats.size(); ++i) {
    if (at<PyObject*>(tuple.get(), kMembers + i * sizeof(PyObject*)) != floats[i] ||
        members[i] != floats[i]) {
      return false;
    }
  }
  return true;
}

bool PythonLayout::look_at_array(PyObject* ndarray) {
  // An array of shape (3, 5), compared with what it says about itself.
  constexpr std::array<long long, 2> kShape{3, 5};
  const PyRef shape = PyRef::own(PyTuple_New(kShape.size()));
  const PyRef arguments = PyRef::own(PyTuple_New(1));
  if (!shape || !arguments) {
    PyErr_Clear();
    return false;
  }
  for (size_t i = 0; i < kShape.size(); ++i) {
    PyTuple_SetItem(shape.get(), static_cast<ptrdiff_t>(i), PyLong_FromLongLong(kShape[i]));
  }
  PyTuple_SetItem(arguments.get(), 0, PyRef::share(shape.get()).release());
  const PyRef array = PyRef::own(PyObject_CallObject(ndarray, arguments.get()));
  Py_buffer view{};
  if (!array || PyObject_GetBuffer(array.get(), &view, kBufferFormat | kBufferContiguous) != 0) {
    PyErr_Clear();
    return false;
  }
  const PyRef dtype = PyRef::own(PyObject_GetAttrString(array.get(), "dtype"));
  const auto* fields = reinterpret_cast<const ArrayFields*>(array.get());
  const bool same = fields->data == view.buf && fields->dimensions == view.ndim &&
                    fields->shape != nullptr && fields->shape[0] == kShape[0] &&
                    fields->shape[1] == kShape[1] && fields->dtype == dtype.get() &&
                    (fields->flags & ArrayFields::kContiguous) != 0;
  PyBuffer_Release(&view);
  PyErr_Clear();
  return same;
}

}  // namespace muster::feed

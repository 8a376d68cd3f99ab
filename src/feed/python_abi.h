#pragma once

#include <cstddef>
#include <cstdint>

/// The part of CPython's stable C interface that the feed uses, declared here so that the feed
/// builds without any Python's headers and runs in every CPython from 3.8 on. The functions are
/// those of the process that loaded the library. Whoever calls one holds the interpreter's lock.
// NOLINTBEGIN(readability-identifier-naming): the names are CPython's.
extern "C" {

/// The two fields that the stable interface lets macros read.
struct PyObject {
  ptrdiff_t ob_refcnt;
  PyObject* ob_type;
};

/// Filled by PyObject_GetBuffer.
struct Py_buffer {
  void* buf;
  PyObject* obj;
  ptrdiff_t len;
  ptrdiff_t itemsize;
  int readonly;
  int ndim;
  char* format;
  ptrdiff_t* shape;
  ptrdiff_t* strides;
  ptrdiff_t* suboffsets;
  void* internal;
};

extern PyObject PyFloat_Type;
extern PyObject PyLong_Type;
extern PyObject PyBool_Type;
extern PyObject PyBytes_Type;
extern PyObject PyUnicode_Type;
extern PyObject PyList_Type;
extern PyObject PyTuple_Type;
extern PyObject PyDict_Type;
extern PyObject _Py_NoneStruct;
extern PyObject _Py_TrueStruct;

void Py_IncRef(PyObject* object);
void Py_DecRef(PyObject* object);
void PyErr_Clear(void);

double PyFloat_AsDouble(PyObject* object);
PyObject* PyFloat_FromDouble(double value);
long long PyLong_AsLongLongAndOverflow(PyObject* object, int* overflow);
PyObject* PyLong_FromLongLong(long long value);
PyObject* PyLong_FromUnsignedLongLong(unsigned long long value);
PyObject* PyBool_FromLong(long value);
int PyBytes_AsStringAndSize(PyObject* object, char** buffer, ptrdiff_t* length);
PyObject* PyBytes_FromStringAndSize(const char* bytes, ptrdiff_t size);
const char* PyUnicode_AsUTF8AndSize(PyObject* object, ptrdiff_t* size);
PyObject* PyUnicode_DecodeUTF8(const char* text, ptrdiff_t size, const char* errors);

ptrdiff_t PyList_Size(PyObject* list);
PyObject* PyList_GetItem(PyObject* list, ptrdiff_t index);
PyObject* PyList_New(ptrdiff_t size);
int PyList_SetItem(PyObject* list, ptrdiff_t index, PyObject* item);
ptrdiff_t PyTuple_Size(PyObject* tuple);
PyObject* PyTuple_GetItem(PyObject* tuple, ptrdiff_t index);
PyObject* PyTuple_New(ptrdiff_t size);
int PyTuple_SetItem(PyObject* tuple, ptrdiff_t index, PyObject* item);
PyObject* PyDict_New(void);
ptrdiff_t PyDict_Size(PyObject* dict);
int PyDict_Next(PyObject* dict, ptrdiff_t* position, PyObject** key, PyObject** value);
PyObject* PyDict_GetItemWithError(PyObject* dict, PyObject* key);
int PyDict_SetItem(PyObject* dict, PyObject* key, PyObject* value);

PyObject* PyIter_Next(PyObject* iterator);
PyObject* PySequence_GetItem(PyObject* sequence, ptrdiff_t index);
PyObject* PyObject_GetAttrString(PyObject* object, const char* name);
PyObject* PyObject_CallObject(PyObject* callable, PyObject* arguments);
int PyObject_IsInstance(PyObject* object, PyObject* type);
int PyObject_RichCompareBool(PyObject* left, PyObject* right, int operation);
int PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);
void PyBuffer_Release(Py_buffer* view);
}

namespace muster::feed {

inline constexpr int kBufferFormat = 0x0004;
inline constexpr int kBufferContiguous = 0x0020 | 0x0010 | 0x0008;  // C order, with strides, shape.
inline constexpr int kCompareEqual = 2;

/// A counted reference to a Python object, or none.
class PyRef {
 public:
  PyRef() = default;
  /// Takes ownership of one reference.
  static PyRef own(PyObject* object) {
    PyRef ref;
    ref.object_ = object;
    return ref;
  }
  /// Adds one.
  static PyRef share(PyObject* object) {
    if (object != nullptr) {
      Py_IncRef(object);
    }
    return own(object);
  }
  PyRef(PyRef&& other) noexcept : object_(other.release()) {}
  PyRef& operator=(PyRef&& other) noexcept {
    PyObject* const was = object_;
    object_ = other.release();
    if (was != nullptr) {
      Py_DecRef(was);
    }
    return *this;
  }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  ~PyRef() {
    if (object_ != nullptr) {
      Py_DecRef(object_);
    }
  }
  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() {
    PyObject* const object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace muster::feed
// NOLINTEND(readability-identifier-naming)

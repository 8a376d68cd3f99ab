#include "feed/c_api.h"
#include "feed/c_handles.h"
#include "feed/example.h"
#include "feed/python_values.h"
#include "feed/tfrecord.h"

#include <fmt/format.h>

#include <array>

namespace muster::feed {
namespace {

PyObject* refuse(std::string message) {
  PyErr_Clear();
  mf_set_error(user_error(std::move(message)));
  return nullptr;
}

PyRef bytes_object(std::string_view bytes) {
  return PyRef::own(PyBytes_FromStringAndSize(bytes.data(), static_cast<ptrdiff_t>(bytes.size())));
}

bool take_bytes(PyObject* value, std::string& bytes) {
  char* data = nullptr;
  ptrdiff_t size = 0;
  if (!is(value, PyBytes_Type) || PyBytes_AsStringAndSize(value, &data, &size) != 0) {
    return false;
  }
  bytes.assign(data, static_cast<size_t>(size));
  return true;
}

bool take_integer(PyObject* value, int64_t& integer) {
  int overflow = 0;
  if (!is(value, PyLong_Type) && !is(value, PyBool_Type)) {
    return false;
  }
  integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0;
}

bool take_float(PyObject* value, float& number) {
  int64_t integer = 0;
  if (is(value, PyFloat_Type)) {
    number = static_cast<float>(PyFloat_AsDouble(value));
    return true;
  }
  if (!take_integer(value, integer)) {
    return false;
  }
  number = static_cast<float>(integer);
  return true;
}

bool take_value(PyObject* value, Feature& feature) {
  switch (feature.kind) {
    case FeatureKind::Bytes:
      return take_bytes(value, feature.bytes.emplace_back());
    case FeatureKind::Float:
      return take_float(value, feature.floats.emplace_back());
    case FeatureKind::Int64:
      return take_integer(value, feature.integers.emplace_back());
    case FeatureKind::None:
      break;
  }
  return false;
}

/// Takes one (name, kind, values); returns what is wrong with it, empty if nothing.
std::string take_feature(PyObject* item, Feature& feature) {
  int64_t kind = 0;
  ptrdiff_t size = 0;
  if (!is(item, PyTuple_Type) || PyTuple_Size(item) != 3 ||
      !take_integer(PyTuple_GetItem(item, 1), kind) || kind < 1 || kind > 3 ||
      !is(PyTuple_GetItem(item, 2), PyList_Type)) {
    return "a feature must be (name, kind, list of values)";
  }
  PyObject* name = PyTuple_GetItem(item, 0);
  const char* text = is(name, PyUnicode_Type) ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
  if (text == nullptr) {
    return "a feature's name must be text";
  }
  feature.name.assign(text, static_cast<size_t>(size));
  feature.kind = static_cast<FeatureKind>(kind);
  PyObject* values = PyTuple_GetItem(item, 2);
  for (ptrdiff_t i = 0; i < PyList_Size(values); ++i) {
    if (!take_value(PyList_GetItem(values, i), feature)) {
      constexpr std::array<const char*, 4> kWords = {"", "bytes", "a number", "a 64-bit integer"};
      return fmt::format("value {} of feature \"{}\" is not {}", i, feature.name,
                         kWords.at(static_cast<size_t>(kind)));
    }
  }
  return "";
}

PyRef value_object(const Feature& feature, size_t index) {
  switch (feature.kind) {
    case FeatureKind::Bytes:
      return bytes_object(feature.bytes[index]);
    case FeatureKind::Float:
      return PyRef::own(PyFloat_FromDouble(static_cast<double>(feature.floats[index])));
    case FeatureKind::Int64:
      return PyRef::own(PyLong_FromLongLong(feature.integers[index]));
    case FeatureKind::None:
      break;
  }
  return PyRef::share(&_Py_NoneStruct);
}

PyRef feature_object(const Feature& feature) {
  const size_t count = feature.bytes.size() + feature.floats.size() + feature.integers.size();
  PyRef values = PyRef::own(PyList_New(static_cast<ptrdiff_t>(count)));
  for (size_t i = 0; values && i < count; ++i) {
    PyRef value = value_object(feature, i);
    if (!value) {
      return {};
    }
    PyList_SetItem(values.get(), static_cast<ptrdiff_t>(i), value.release());
  }
  PyRef name = PyRef::own(PyUnicode_DecodeUTF8(
      feature.name.data(), static_cast<ptrdiff_t>(feature.name.size()), "replace"));
  PyRef item = PyRef::own(PyTuple_New(3));
  if (!values || !name || !item) {
    return {};
  }
  PyTuple_SetItem(item.get(), 0, name.release());
  PyTuple_SetItem(item.get(), 1, PyLong_FromLongLong(static_cast<int64_t>(feature.kind)));
  PyTuple_SetItem(item.get(), 2, values.release());
  return item;
}

}  // namespace
}  // namespace muster::feed

using namespace muster::feed;  // NOLINT(google-build-using-namespace): this file is C's face.

void* mf_tfrecord_frame(void* list) {
  auto* records = static_cast<PyObject*>(list);
  std::string file;
  for (ptrdiff_t i = 0; i < PyList_Size(records); ++i) {
    PyObject* record = PyList_GetItem(records, i);
    char* data = nullptr;
    ptrdiff_t size = 0;
    if (!is(record, PyBytes_Type) || PyBytes_AsStringAndSize(record, &data, &size) != 0) {
      return refuse(fmt::format("record {} is not bytes", i));
    }
    append_record(file, {data, static_cast<size_t>(size)});
  }
  return bytes_object(file).release();
}

void* mf_tfrecord_split(const char* text, uint64_t size, uint64_t* used) {
  const auto split = split_records({text, size});
  if (!split.has_value()) {
    return refuse(split.error().message);
  }
  PyRef list = PyRef::own(PyList_New(static_cast<ptrdiff_t>(split->records.size())));
  ptrdiff_t index = 0;
  for (const std::string_view record : split->records) {
    PyList_SetItem(list.get(), index++, bytes_object(record).release());
  }
  *used = split->used;
  return list.release();
}

void* mf_example_encode(void* features) {
  auto* list = static_cast<PyObject*>(features);
  std::vector<Feature> all(static_cast<size_t>(PyList_Size(list)));
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::string wrong = take_feature(PyList_GetItem(list, static_cast<ptrdiff_t>(i)), all[i]);
        !wrong.empty()) {
      return refuse(std::move(wrong));
    }
  }
  return bytes_object(encode_example(all)).release();
}

void* mf_example_decode(const char* message, uint64_t size) {
  const auto features = decode_example({message, size});
  if (!features.has_value()) {
    return refuse(features.error().message);
  }
  PyRef list = PyRef::own(PyList_New(static_cast<ptrdiff_t>(features->size())));
  ptrdiff_t index = 0;
  for (const Feature& feature : *features) {
    PyRef item = feature_object(feature);
    if (!item) {
      return refuse("not enough memory for an Example");
    }
    PyList_SetItem(list.get(), index++, item.release());
  }
  return list.release();
}

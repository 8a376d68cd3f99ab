#include "feed/python_values.h"
#include "feed/row_encoder.h"

// Determines which columns a row has: RowEncoder's first look at it.
namespace muster::feed {
namespace {

constexpr int kMostDepth = 4;
/// For a sequence whose members differ: beyond this, columns cost more than they gain.
constexpr ptrdiff_t kMostMembers = 1024;

void make_variable(Field& field, Item item, size_t bytes) {
  field.variable = true;
  field.item = item;
  field.offsets = {0};
  expect_rows_of(field, bytes);
}

/// Returns the size of a text, or of bytes, as a block holds it; 0 for a text that no block can
/// hold.
size_t text_bytes(PyObject* value) {
  ptrdiff_t size = 0;
  char* bytes = nullptr;
  const bool told = is(value, PyBytes_Type) ? PyBytes_AsStringAndSize(value, &bytes, &size) == 0
                                            : PyUnicode_AsUTF8AndSize(value, &size) != nullptr;
  if (!told) {
    PyErr_Clear();
    return 0;
  }
  return static_cast<size_t>(size);
}

bool name_of(PyObject* key, std::string& name) {
  ptrdiff_t size = 0;
  const char* text = is(key, PyUnicode_Type) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  name.assign(text, static_cast<size_t>(size));
  return true;
}

}  // namespace

Item item_of(const char* format) {
  if (format == nullptr || format[0] == '\0' || format[1] != '\0') {
    return Item::None;
  }
  switch (format[0]) {
    case 'b':
      return Item::Int8;
    case 'B':
      return Item::UInt8;
    case 'h':
      return Item::Int16;
    case 'H':
      return Item::UInt16;
    case 'i':
      return Item::Int32;
    case 'I':
      return Item::UInt32;
    case 'l':
    case 'q':
      return Item::Int64;
    case 'L':
    case 'Q':
      return Item::UInt64;
    case 'e':
      return Item::Half;
    case 'f':
      return Item::Float;
    case 'd':
      return Item::Double;
    case '?':
      return Item::Bool;
    default:
      return Item::None;
  }
}

bool RowEncoder::infer(PyObject* value, Field& field, int depth) const {
  if (depth > kMostDepth) {
    return false;
  }
  if (const Item item = number_of(value); item != Item::None) {
    field.look = item == Item::Double ? Look::Float : Look::Int;
    field.look = item == Item::Bool ? Look::Bool : field.look;
    field.item = item;
    return true;
  }
  if (is(value, PyBytes_Type) || is(value, PyUnicode_Type)) {
    field.look = is(value, PyBytes_Type) ? Look::Bytes : Look::Text;
    make_variable(field, Item::None, text_bytes(value));
    return true;
  }
  if (is(value, PyList_Type) || is(value, PyTuple_Type)) {
    return infer_sequence(value, is(value, PyList_Type), field, depth);
  }
  if (is(value, PyDict_Type)) {
    return infer_dict(value, field, depth);
  }
  if (types_.row != nullptr && value->ob_type == types_.row) {
    return infer_row(value, field, depth);
  }
  return infer_buffer(value, field);
}

bool RowEncoder::infer_sequence(PyObject* value, bool list, Field& field, int depth) const {
  field.look = list ? Look::List : Look::Tuple;
  const ptrdiff_t size = length(value, list);
  const Item first = size == 0 ? Item::None : number_of(member(value, list, 0));
  bool alike = first != Item::None;
  for (ptrdiff_t i = 1; alike && i < size; ++i) {
    alike = number_of(member(value, list, i)) == first;
  }
  if (alike && ragged_) {
    make_variable(field, first, static_cast<size_t>(size) * size_of(first));
    return true;
  }
  if (alike || size == 0) {
    field.item = first;
    field.width = static_cast<uint64_t>(size);
    return true;
  }
  if (size > kMostMembers) {
    return false;
  }
  field.children.resize(static_cast<size_t>(size));
  for (ptrdiff_t i = 0; i < size; ++i) {
    if (!infer(member(value, list, i), field.children[static_cast<size_t>(i)], depth + 1)) {
      return false;
    }
  }
  return true;
}

bool RowEncoder::infer_dict(PyObject* value, Field& field, int depth) const {
  field.look = Look::Dict;
  const ptrdiff_t size = PyDict_Size(value);
  if (size == 0 || size > kMostMembers) {
    return false;
  }
  ptrdiff_t position = 0;
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  while (PyDict_Next(value, &position, &key, &item) != 0) {
    Field& child = field.children.emplace_back();
    if (!name_of(key, child.name) || !infer(item, child, depth + 1)) {
      return false;
    }
    child.key = PyRef::share(key);
  }
  return true;
}

bool RowEncoder::infer_row(PyObject* value, Field& field, int depth) const {
  field.look = Look::Row;
  field.type = PyRef::own(PyObject_GetAttrString(value, "__fields__"));
  if (!field.type) {
    PyErr_Clear();
    return false;
  }
  const bool list = is(field.type.get(), PyList_Type);
  if (!list && !is(field.type.get(), PyTuple_Type)) {
    return false;
  }
  const ptrdiff_t size = PyTuple_Size(value);
  if (size <= 0 || size > kMostMembers || length(field.type.get(), list) != size) {
    PyErr_Clear();
    return false;
  }
  field.children.resize(static_cast<size_t>(size));
  for (ptrdiff_t i = 0; i < size; ++i) {
    Field& child = field.children[static_cast<size_t>(i)];
    if (!name_of(member(field.type.get(), list, i), child.name) ||
        !infer(PyTuple_GetItem(value, i), child, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool RowEncoder::infer_buffer(PyObject* value, Field& field) const {
  const bool array = types_.ndarray != nullptr && value->ob_type == types_.ndarray;
  if (!array &&
      (types_.numpy_scalar == nullptr || PyObject_IsInstance(value, types_.numpy_scalar) != 1)) {
    PyErr_Clear();
    return false;
  }
  Py_buffer view{};
  if (PyObject_GetBuffer(value, &view, kBufferFormat | kBufferContiguous) != 0) {
    PyErr_Clear();
    return false;
  }
  field.look = array ? Look::Array : Look::Scalar;
  field.item = item_of(view.format);
  const auto dimensions = static_cast<size_t>(view.ndim);
  const bool possible = field.item != Item::None && dimensions <= kMostDimensions &&
                        (array ? dimensions > 0 : dimensions == 0);
  for (size_t i = 0; possible && i < dimensions; ++i) {
    field.shape.push_back(static_cast<uint64_t>(view.shape[i]));
    field.width *= field.shape.back();
  }
  PyBuffer_Release(&view);
  if (!array) {
    field.type = PyRef::share(value->ob_type);
  }
  return possible;
}

}  // namespace muster::feed

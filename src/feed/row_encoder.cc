#include "feed/row_encoder.h"

#include "feed/python_layout.h"
#include "feed/python_values.h"

#include <cstring>

namespace muster::feed {
namespace {

template <class T>
void store(std::byte*& at, T value) {
  std::memcpy(at, &value, sizeof(value));
  at += sizeof(value);
}

/// Writes one number of exactly the item's Python type; false if it has another type, or is too
/// large.
bool store_number(PyObject* value, Item item, std::byte*& at) {
  if (number_of(value) != item) {
    return false;
  }
  if (item == Item::Double) {
    store(at, PyFloat_AsDouble(value));
    return true;
  }
  if (item == Item::Bool) {
    store(at, static_cast<uint8_t>(value == &_Py_TrueStruct ? 1 : 0));
    return true;
  }
  int overflow = 0;
  const int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  store(at, number);
  return overflow == 0;
}

bool add_text(PyObject* value, Field& field) {
  const char* text = nullptr;
  ptrdiff_t size = 0;
  if (field.look == Look::Bytes) {
    char* bytes = nullptr;
    if (!is(value, PyBytes_Type) || PyBytes_AsStringAndSize(value, &bytes, &size) != 0) {
      return false;
    }
    text = bytes;
  } else {
    text = is(value, PyUnicode_Type) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  }
  if (text == nullptr) {  // Also for a lone surrogate, which UTF-8 cannot express.
    PyErr_Clear();
    return false;
  }
  field.values.add(std::as_bytes(std::span(text, static_cast<size_t>(size))));
  field.offsets.push_back(static_cast<int64_t>(field.values.size()));
  return true;
}

/// Adds an ndarray or a numpy scalar.
bool add_buffer(PyObject* value, Field& field) {
  Py_buffer view{};
  if (PyObject_GetBuffer(value, &view, kBufferFormat | kBufferContiguous) != 0) {
    PyErr_Clear();
    return false;
  }
  bool same = item_of(view.format) == field.item &&
              static_cast<size_t>(view.ndim) == field.shape.size() &&
              static_cast<size_t>(view.len) == field.width * size_of(field.item);
  for (size_t i = 0; same && i < field.shape.size(); ++i) {
    same = static_cast<uint64_t>(view.shape[i]) == field.shape[i];
  }
  if (same) {
    field.values.add({static_cast<const std::byte*>(view.buf), static_cast<size_t>(view.len)});
  }
  PyBuffer_Release(&view);
  return same;
}

/// Adds an ndarray: most have the same dtype object as the one before, so it need not be examined.
bool add_array(PyObject* value, Field& field, const PythonLayout& layout) {
  const ArrayFields* array = layout.array(value);
  if (array == nullptr) {
    return add_buffer(value, field);
  }
  if (array->dtype != field.dtype.get()) {
    if (!add_buffer(value, field)) {
      return false;
    }
    field.dtype = PyRef::share(array->dtype);
    return true;
  }
  bool same = (array->flags & ArrayFields::kContiguous) != 0 &&
              static_cast<size_t>(array->dimensions) == field.shape.size();
  for (size_t i = 0; same && i < field.shape.size(); ++i) {
    same = static_cast<uint64_t>(array->shape[i]) == field.shape[i];
  }
  if (same) {
    field.values.add({array->data, field.width * size_of(field.item)});
  }
  return same;
}

/// Stores the floats of a sequence with contiguous members; false if one is something else.
bool store_floats(PyObject* const* members, ptrdiff_t count, std::byte* at) {
  for (ptrdiff_t i = 0; i < count; ++i) {
    if (!is(members[i], PyFloat_Type)) {
      return false;
    }
    store(at, PythonLayout::float_of(members[i]));
  }
  return true;
}

}  // namespace

bool RowEncoder::add(PyObject* value, Field& field) {
  switch (field.look) {
    case Look::Int:
    case Look::Float:
    case Look::Bool: {
      std::byte* at = field.values.extend(size_of(field.item));
      return store_number(value, field.item, at);
    }
    case Look::Bytes:
    case Look::Text:
      return add_text(value, field);
    case Look::List:
    case Look::Tuple:
      return add_sequence(value, field);
    case Look::Dict:
      return add_dict(value, field);
    case Look::Row:
      return add_row(value, field);
    case Look::Array:
      return value->ob_type == types_.ndarray && add_array(value, field, layout_);
    case Look::Scalar:
      return value->ob_type == field.type.get() && add_buffer(value, field);
    case Look::Pickled:
      break;
  }
  return false;
}

bool RowEncoder::add_sequence(PyObject* value, Field& field) {
  const bool list = field.look == Look::List;
  if (!is(value, list ? PyList_Type : PyTuple_Type)) {
    return false;
  }
  const ptrdiff_t size = length(value, list);
  if (!field.children.empty()) {
    bool fits = static_cast<size_t>(size) == field.children.size();
    for (ptrdiff_t i = 0; fits && i < size; ++i) {
      fits = add(member(value, list, i), field.children[static_cast<size_t>(i)]);
    }
    return fits;
  }
  if (!field.variable && static_cast<uint64_t>(size) != field.width) {
    ragged_ = true;
    return false;
  }
  if (!store_numbers(value, list, size, field)) {
    return false;
  }
  if (field.variable) {
    field.offsets.push_back(field.offsets.back() + size);
  }
  return true;
}

bool RowEncoder::store_numbers(PyObject* value, bool list, ptrdiff_t size, Field& field) const {
  const size_t bytes = static_cast<size_t>(size) * size_of(field.item);
  std::byte* at = field.values.extend(bytes);
  PyObject* const* members = layout_.members(value, list);
  if (members != nullptr && field.item == Item::Double) {
    if (!store_floats(members, size, at)) {
      return false;
    }
    field.values.expect(bytes);
    return true;
  }
  for (ptrdiff_t i = 0; i < size; ++i) {
    if (!store_number(members != nullptr ? members[i] : member(value, list, i), field.item, at)) {
      return false;
    }
  }
  return true;
}

bool RowEncoder::add_dict(PyObject* value, Field& field) {
  if (!is(value, PyDict_Type) || static_cast<size_t>(PyDict_Size(value)) != field.children.size()) {
    return false;
  }
  for (Field& child : field.children) {
    PyObject* item = PyDict_GetItemWithError(value, child.key.get());
    if (item == nullptr || !add(item, child)) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

bool RowEncoder::add_row(PyObject* value, Field& field) {
  if (value->ob_type != types_.row ||
      static_cast<size_t>(PyTuple_Size(value)) != field.children.size()) {
    PyErr_Clear();
    return false;
  }
  const PyRef names = PyRef::own(PyObject_GetAttrString(value, "__fields__"));
  if (!names || (names.get() != field.type.get() &&
                 PyObject_RichCompareBool(names.get(), field.type.get(), kCompareEqual) != 1)) {
    PyErr_Clear();
    return false;
  }
  for (size_t i = 0; i < field.children.size(); ++i) {
    if (!add(PyTuple_GetItem(value, static_cast<ptrdiff_t>(i)), field.children[i])) {
      return false;
    }
  }
  return true;
}

uint64_t RowEncoder::take(PyObject* iterator, const Most& most, Stop& stop) {
  // lint: allow(clock) the feed runs in the user's process, where there is no loop.
  const auto until = std::chrono::steady_clock::now() + most.time;
  constexpr uint64_t kRowsPerLook = 16;  // At the clock, which costs as much as a small row.
  stop = Stop::Enough;
  for (uint64_t taken = 0; taken < most.rows; ++taken) {
    if (places_ != 0 && rows_ == places_) {
      stop = Stop::Full;
      return taken;
    }
    // lint: allow(clock) as above.
    if (taken % kRowsPerLook == kRowsPerLook - 1 && std::chrono::steady_clock::now() > until) {
      return taken;
    }
    PyRef row = kept_ ? std::move(kept_) : PyRef::own(PyIter_Next(iterator));
    if (!row) {
      stop = Stop::End;
      return taken;
    }
    if (!put(row.get(), most.bytes, stop)) {
      kept_ = std::move(row);
      return taken;
    }
    if (stop != Stop::Enough) {
      return taken + 1;
    }
  }
  return most.rows;
}

/// Adds one row to the block; false, with the reason, if it does not belong in this block.
bool RowEncoder::put(PyObject* row, size_t limit, Stop& stop) {
  if (!known_) {
    root_ = Field{};
    if (!infer(row, root_, 0)) {
      stop = Stop::Foreign;
      return false;
    }
    known_ = true;
  }
  if (rows_ == 0 && block_.empty()) {
    stop = Stop::Homeless;
    return false;
  }
  if (rows_ == 0 && places_ == 0) {
    place();
  }
  if (!add(row, root_)) {
    truncate(root_, rows_);
    stop = rows_ == 0 ? Stop::Foreign : Stop::Different;
    return false;
  }
  // Without places, counting a wide row's columns costs about as much as one of its values.
  const bool full = places_ != 0 ? !in_place() : bytes_of(root_) > limit;
  if (full && rows_ > 0) {
    // The reader would have to join a block in two parts.
    truncate(root_, rows_);
    stop = Stop::Full;
    return false;
  }
  ++rows_;
  if (full) {
    stop = Stop::Full;
  }
  return true;
}

Column RowEncoder::column() const { return column_of(root_); }

}  // namespace muster::feed

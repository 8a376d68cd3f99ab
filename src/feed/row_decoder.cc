#include "feed/row_decoder.h"

#include "feed/python_layout.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace muster::feed {
namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/// Converts IEEE half precision, for which C++ has no type.
double half(uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1fU;
  const int fraction = bits & 0x3ffU;
  double value = 0;
  if (exponent == 0x1f) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

PyObject* number(Item item, const std::byte* at) {
  switch (item) {
    case Item::Double:
      return PyFloat_FromDouble(load<double>(at));
    case Item::Int64:
      return PyLong_FromLongLong(load<int64_t>(at));
    case Item::Float:
      return PyFloat_FromDouble(static_cast<double>(load<float>(at)));
    case Item::Int32:
      return PyLong_FromLongLong(load<int32_t>(at));
    case Item::Int16:
      return PyLong_FromLongLong(load<int16_t>(at));
    case Item::Int8:
      return PyLong_FromLongLong(load<int8_t>(at));
    case Item::UInt8:
      return PyLong_FromLongLong(load<uint8_t>(at));
    case Item::UInt16:
      return PyLong_FromLongLong(load<uint16_t>(at));
    case Item::UInt32:
      return PyLong_FromLongLong(load<uint32_t>(at));
    case Item::UInt64:
      return PyLong_FromUnsignedLongLong(load<uint64_t>(at));
    case Item::Half:
      return PyFloat_FromDouble(half(load<uint16_t>(at)));
    case Item::Bool:
      return PyBool_FromLong(load<uint8_t>(at));
    case Item::None:
      break;
  }
  return PyRef::share(&_Py_NoneStruct).release();
}

/// One node with everything that is looked up once per block.
struct Reader {
  const Node* node = nullptr;
  const std::byte* values = nullptr;
  std::span<const int64_t> offsets;
  std::span<const uint8_t> validity;
  size_t item = 0;
  PyObject* array = nullptr;  ///< Borrowed.
  PyRef name;                 ///< As a member of a Dict.
  PyRef names;                ///< Of a Row.
  std::vector<Reader> children;
};

class Decoder {
 public:
  Decoder(const BlockView& view, const PythonMakers& makers) : view_(view), makers_(makers) {}

  [[nodiscard]] bool prepare() { return prepare(0, root_); }
  [[nodiscard]] PyObject* row(uint64_t index) { return value(root_, index); }

 private:
  bool prepare(size_t index, Reader& reader) {
    const Node& node = view_.nodes()[index];
    reader.node = &node;
    reader.values = view_.values(node).data();
    reader.offsets = view_.offsets(node);
    reader.validity = view_.validity(node);
    const bool text = node.look == Look::Bytes || node.look == Look::Text;
    reader.item = text ? 1 : size_of(node.item);
    if (node.look == Look::Array || node.look == Look::Scalar) {
      reader.array = PyList_GetItem(makers_.arrays, arrays_++);
      return reader.array != nullptr;
    }
    reader.children.resize(node.children);
    size_t next = index + 1;
    for (Reader& child : reader.children) {
      const Node& child_node = view_.nodes()[next];
      if (!prepare(next, child)) {
        return false;
      }
      const std::string_view name = view_.name(child_node);
      child.name = PyRef::own(
          PyUnicode_DecodeUTF8(name.data(), static_cast<ptrdiff_t>(name.size()), "replace"));
      if (!child.name) {
        return false;
      }
      next += child_node.subtree;
    }
    return node.look != Look::Row || prepare_names(reader);
  }

  static bool prepare_names(Reader& reader) {
    reader.names = PyRef::own(PyTuple_New(static_cast<ptrdiff_t>(reader.children.size())));
    if (!reader.names) {
      return false;
    }
    ptrdiff_t index = 0;
    for (const Reader& child : reader.children) {
      PyTuple_SetItem(reader.names.get(), index++, PyRef::share(child.name.get()).release());
    }
    return true;
  }

  PyObject* value(const Reader& reader, uint64_t row) {
    if (!reader.validity.empty() && reader.validity[row] == 0) {
      return PyRef::share(&_Py_NoneStruct).release();
    }
    switch (reader.node->look) {
      case Look::Int:
      case Look::Float:
      case Look::Bool:
        return number(reader.node->item, reader.values + row * reader.item);
      case Look::Bytes:
        return PyBytes_FromStringAndSize(text(reader, row), size(reader, row));
      case Look::Text:
        return PyUnicode_DecodeUTF8(text(reader, row), size(reader, row), "strict");
      case Look::List:
      case Look::Tuple:
        return sequence(reader, row, reader.node->look == Look::List);
      case Look::Dict:
        return dict(reader, row);
      case Look::Row:
        return make_row(reader, row);
      case Look::Array:
      case Look::Scalar:
        return PySequence_GetItem(reader.array, static_cast<ptrdiff_t>(row));
      case Look::Pickled:
        break;
    }
    return PyRef::share(&_Py_NoneStruct).release();
  }

  static const char* text(const Reader& reader, uint64_t row) {
    return reinterpret_cast<const char*>(reader.values) + reader.offsets[row];
  }
  static ptrdiff_t size(const Reader& reader, uint64_t row) {
    return reader.offsets[row + 1] - reader.offsets[row];
  }

  PyObject* sequence(const Reader& reader, uint64_t row, bool list) {
    const bool members = !reader.children.empty();
    const uint64_t first = reader.offsets.empty() ? row * reader.node->width
                                                  : static_cast<uint64_t>(reader.offsets[row]);
    const auto count = members
                           ? static_cast<ptrdiff_t>(reader.children.size())
                           : (reader.offsets.empty() ? static_cast<ptrdiff_t>(reader.node->width)
                                                     : size(reader, row));
    PyRef made = PyRef::own(list ? PyList_New(count) : PyTuple_New(count));
    const std::byte* at = members ? nullptr : reader.values + first * reader.item;
    PyObject** slots = made && !members ? layout_.slots(made.get(), list) : nullptr;
    if (slots != nullptr && reader.node->item == Item::Double) {
      return make_floats(at, {slots, static_cast<size_t>(count)}) ? made.release() : nullptr;
    }
    for (ptrdiff_t i = 0; made && i < count; ++i) {
      PyObject* const item = members ? value(reader.children[static_cast<size_t>(i)], row)
                                     : number(reader.node->item, at);
      if (item == nullptr) {
        return nullptr;
      }
      list ? PyList_SetItem(made.get(), i, item) : PyTuple_SetItem(made.get(), i, item);
      at += members ? 0 : reader.item;
    }
    return made.release();
  }

  static bool make_floats(const std::byte* at, std::span<PyObject*> slots) {
    for (PyObject*& slot : slots) {
      slot = PyFloat_FromDouble(load<double>(at));
      if (slot == nullptr) {
        return false;
      }
      at += sizeof(double);
    }
    return true;
  }

  PyObject* dict(const Reader& reader, uint64_t row) {
    PyRef made = PyRef::own(PyDict_New());
    for (const Reader& child : reader.children) {
      const PyRef item = PyRef::own(value(child, row));
      if (!item || !made || PyDict_SetItem(made.get(), child.name.get(), item.get()) != 0) {
        return nullptr;
      }
    }
    return made.release();
  }

  PyObject* make_row(const Reader& reader, uint64_t row) {
    PyRef values = PyRef::own(sequence(reader, row, false));
    if (!values || makers_.make_row == nullptr) {
      return values.release();
    }
    const PyRef arguments = PyRef::own(PyTuple_New(2));
    if (!arguments) {
      return nullptr;
    }
    PyTuple_SetItem(arguments.get(), 0, PyRef::share(reader.names.get()).release());
    PyTuple_SetItem(arguments.get(), 1, values.release());
    return PyObject_CallObject(makers_.make_row, arguments.get());
  }

  const BlockView& view_;
  PythonMakers makers_;
  PythonLayout layout_{nullptr};
  Reader root_;
  ptrdiff_t arrays_ = 0;
};

}  // namespace

PyObject* rows_of(const BlockView& view, uint64_t start, uint64_t count,
                  const PythonMakers& makers) {
  Decoder decoder(view, makers);
  if (!decoder.prepare()) {
    return nullptr;
  }
  PyRef list = PyRef::own(PyList_New(static_cast<ptrdiff_t>(count)));
  for (uint64_t i = 0; list && i < count; ++i) {
    PyObject* row = decoder.row(start + i);
    if (row == nullptr) {
      return nullptr;
    }
    PyList_SetItem(list.get(), static_cast<ptrdiff_t>(i), row);
  }
  return list.release();
}

}  // namespace muster::feed

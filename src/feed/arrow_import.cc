#include "feed/arrow.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace muster::feed {
namespace {

Error unsupported(std::string_view name, std::string_view format) {
  return {.code = Errc::Unsupported,
          .blame = Blame::User,
          .message = fmt::format(
              "column \"{}\" has a type that cannot be fed as a column (Arrow format \"{}\"); "
              "supported are numbers, booleans, text, bytes and lists of numbers",
              name, format)};
}

Error damaged_column(std::string_view name) {
  return user_error(fmt::format("column \"{}\" is not a complete Arrow array", name));
}

Item number_item(char format) {
  switch (format) {
    case 'c':
      return Item::Int8;
    case 'C':
      return Item::UInt8;
    case 's':
      return Item::Int16;
    case 'S':
      return Item::UInt16;
    case 'i':
      return Item::Int32;
    case 'I':
      return Item::UInt32;
    case 'l':
      return Item::Int64;
    case 'L':
      return Item::UInt64;
    case 'e':
      return Item::Half;
    case 'f':
      return Item::Float;
    case 'g':
      return Item::Double;
    case 'b':
      return Item::Bool;
    default:
      return Item::None;
  }
}

Look look_of(Item item) {
  if (item == Item::Bool) {
    return Look::Bool;
  }
  return item == Item::Half || item == Item::Float || item == Item::Double ? Look::Float
                                                                           : Look::Int;
}

bool bit(const void* bits, uint64_t index) {
  return ((static_cast<const uint8_t*>(bits)[index / 8] >> (index % 8)) & 1U) != 0;
}

std::vector<uint8_t> unpacked(const void* bits, uint64_t first, uint64_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint64_t i = 0; i < count; ++i) {
    bytes[i] = bit(bits, first + i) ? 1 : 0;
  }
  return bytes;
}

bool all_present(const ArrowArray& array, uint64_t first, uint64_t count) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) {
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (!bit(array.buffers[0], first + i)) {
      return false;
    }
  }
  return true;
}

/// Returns the common length of all lists; 0 if they differ, or there are none.
uint64_t common_length(std::span<const int64_t> offsets) {
  for (size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != offsets[1]) {
      return 0;
    }
  }
  return offsets.size() < 2 ? 0 : static_cast<uint64_t>(offsets[1]);
}

bool has_buffers(const ArrowArray& array, int64_t count) {
  return array.n_buffers >= count && array.buffers != nullptr && array.length >= 0 &&
         array.offset >= 0;
}

}  // namespace

Result<std::unique_ptr<ArrowImport>> ArrowImport::of(const ArrowSchema& schema,
                                                     const ArrowArray& array) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s" ||
      schema.n_children != array.n_children || array.length < 0 || array.offset < 0) {
    return user_error("Arrow data to feed must be a record batch");
  }
  std::unique_ptr<ArrowImport> import(new ArrowImport(static_cast<uint64_t>(array.length)));
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i] == nullptr || array.children[i] == nullptr ||
        schema.children[i]->format == nullptr) {
      return damaged_column(fmt::format("{}", i));
    }
    MUSTER_TRY_STATUS(import->add(*schema.children[i], *array.children[i], array.offset));
  }
  return import;
}

Status ArrowImport::add(const ArrowSchema& schema, const ArrowArray& array, int64_t offset) {
  const std::string_view format = schema.format;
  Column column{.name = schema.name == nullptr ? "" : schema.name};
  const auto first = static_cast<uint64_t>(offset + array.offset);
  if (array.length < static_cast<int64_t>(rows_) || schema.dictionary != nullptr) {
    return schema.dictionary != nullptr ? unsupported(column.name, "dictionary")
                                        : damaged_column(column.name);
  }
  Status added = unsupported(column.name, format);
  if (format.size() == 1 && number_item(format[0]) != Item::None) {
    added = add_numbers(column, array, first, format[0]);
  } else if (format == "u" || format == "z" || format == "U" || format == "Z") {
    column.look = format == "u" || format == "U" ? Look::Text : Look::Bytes;
    added = add_variable(column, array, first, format == "U" || format == "Z");
  } else if ((format == "+l" || format == "+L" || format.starts_with("+w:")) &&
             schema.n_children == 1 && array.n_children == 1) {
    const std::string_view child = schema.children[0]->format;
    column.look = Look::List;
    column.item = child.size() == 1 && child != "b" ? number_item(child[0]) : Item::None;
    if (column.item == Item::None) {
      return unsupported(column.name, fmt::format("{} of {}", format, child));
    }
    const ArrowArray& items = *array.children[0];
    if (!has_buffers(items, 2)) {
      return damaged_column(column.name);
    }
    if (format.starts_with("+w:")) {
      uint64_t width = 0;
      std::from_chars(format.data() + 3, format.data() + format.size(), width);
      const uint64_t start = static_cast<uint64_t>(items.offset) + first * width;
      const uint64_t count = rows_ * width;
      if (static_cast<uint64_t>(items.length + items.offset) < start + count) {
        return damaged_column(column.name);
      }
      column.width = width;
      const size_t size = size_of(column.item);
      column.values = {static_cast<const std::byte*>(items.buffers[1]) + start * size,
                       count * size};
      added = all_present(items, start, count) ? Status()
                                               : unsupported(column.name, "missing list members");
    } else {
      added = add_variable(column, array, first, format == "+L");
    }
  }
  MUSTER_TRY_STATUS(added);
  if (!all_present(array, first, rows_)) {
    bytes_.push_back(unpacked(array.buffers[0], first, rows_));
    column.validity = bytes_.back();
  }
  columns_.push_back(std::move(column));
  return {};
}

Status ArrowImport::add_numbers(Column& column, const ArrowArray& array, uint64_t first,
                                char format) {
  if (!has_buffers(array, 2)) {
    return damaged_column(column.name);
  }
  column.item = number_item(format);
  column.look = look_of(column.item);
  if (column.item == Item::Bool) {
    bytes_.push_back(unpacked(array.buffers[1], first, rows_));
    column.values = std::as_bytes(std::span(bytes_.back()));
    return {};
  }
  const size_t size = size_of(column.item);
  column.values = {static_cast<const std::byte*>(array.buffers[1]) + first * size, rows_ * size};
  return {};
}

Status ArrowImport::add_variable(Column& column, const ArrowArray& array, uint64_t first,
                                 bool wide) {
  const bool list = column.look == Look::List;
  if (!has_buffers(array, list ? 2 : 3)) {
    return damaged_column(column.name);
  }
  std::vector<int64_t> offsets(rows_ + 1, 0);
  const void* source = array.buffers[1];
  const auto at = [&](uint64_t index) {
    return wide ? static_cast<const int64_t*>(source)[index]
                : static_cast<int64_t>(static_cast<const int32_t*>(source)[index]);
  };
  // An empty array may come without its offsets.
  const int64_t base = rows_ == 0 || source == nullptr ? 0 : at(first);
  for (uint64_t i = 0; rows_ != 0 && source != nullptr && i <= rows_; ++i) {
    offsets[i] = at(first + i) - base;
    if (offsets[i] < 0 || (i > 0 && offsets[i] < offsets[i - 1])) {
      return damaged_column(column.name);
    }
  }
  column.variable = true;
  const auto count = static_cast<uint64_t>(offsets.back());
  if (!list) {
    column.values = {static_cast<const std::byte*>(array.buffers[2]) + base, count};
  } else {
    const ArrowArray& items = *array.children[0];
    const size_t size = size_of(column.item);
    const uint64_t start = static_cast<uint64_t>(items.offset + base);
    if (!all_present(items, start, count)) {
      return unsupported(column.name, "missing list members");
    }
    column.values = {static_cast<const std::byte*>(items.buffers[1]) + start * size, count * size};
    if (const uint64_t width = common_length(offsets); width != 0) {
      column.variable = false;
      column.width = width;
      return {};
    }
  }
  offsets_.push_back(std::move(offsets));
  column.offsets = offsets_.back();
  return {};
}

uint64_t ArrowImport::bytes() const {
  uint64_t bytes = 0;
  for (const Column& column : columns_) {
    bytes += column.values.size() + column.offsets.size_bytes() + column.validity.size();
  }
  return bytes;
}

Column ArrowImport::slice(uint64_t start, uint64_t count) {
  slices_.clear();
  Column root{.look = Look::Row};
  for (const Column& whole : columns_) {
    Column part = whole;
    if (whole.variable) {
      const size_t size = whole.item == Item::None ? 1 : size_of(whole.item);
      const int64_t base = whole.offsets[start];
      std::vector<int64_t>& offsets = slices_.emplace_back(count + 1);
      for (uint64_t i = 0; i <= count; ++i) {
        offsets[i] = whole.offsets[start + i] - base;
      }
      part.offsets = offsets;
      part.values = whole.values.subspan(static_cast<size_t>(base) * size,
                                         static_cast<size_t>(offsets.back()) * size);
    } else {
      const size_t row = whole.width * size_of(whole.item);
      part.values = whole.values.subspan(start * row, count * row);
    }
    if (!whole.validity.empty()) {
      part.validity = whole.validity.subspan(start, count);
    }
    root.children.push_back(std::move(part));
  }
  return root;
}

}  // namespace muster::feed

#include "feed/field.h"

#include "base/check.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace muster::feed {
namespace {

bool is_text(const Field& field) { return field.look == Look::Bytes || field.look == Look::Text; }

}  // namespace

size_t item_bytes(const Field& field) { return is_text(field) ? 1 : size_of(field.item); }

/// Forgets what a row that did not fit left behind.
void truncate(Field& field, uint64_t rows) {
  for (Field& child : field.children) {
    truncate(child, rows);
  }
  if (!field.children.empty()) {
    return;
  }
  if (field.variable) {
    field.offsets.resize(rows + 1, 0);
    field.values.truncate(static_cast<size_t>(field.offsets.back()) * item_bytes(field));
  } else {
    field.values.truncate(rows * field.width * item_bytes(field));
  }
}

size_t bytes_of(const Field& field) {
  size_t bytes = field.values.size() + field.offsets.size() * sizeof(int64_t);
  for (const Field& child : field.children) {
    bytes += bytes_of(child);
  }
  return bytes;
}

Column column_of(const Field& field) {
  Column column{.look = field.look,
                .item = field.item,
                .variable = field.variable,
                .width = field.width,
                .shape = field.shape,
                .name = field.name,
                .children = {},
                .values = field.values.bytes(),
                .pieces = field.values.pieces(),
                .offsets = field.offsets,
                .validity = {}};
  for (const Field& child : field.children) {
    column.children.push_back(column_of(child));
  }
  return column;
}

void Values::add(PyObject* owner, std::span<const std::byte> bytes) {
  // Above it, a reference costs less than a copy.
  constexpr size_t kLeastKept = 1024;
  if (bytes.empty()) {
    return;
  }
  if (bytes.size() < kLeastKept && !kept_.empty()) {
    gather();
  }
  if (copied_.size() == 0 && bytes.size() >= kLeastKept) {
    kept_.push_back({.owner = PyRef::share(owner), .bytes = bytes});
    kept_bytes_ += bytes.size();
    return;
  }
  std::memcpy(copied_.extend(bytes.size()), bytes.data(), bytes.size());
}

void Values::gather() {
  for (const Kept& kept : kept_) {
    std::memcpy(copied_.extend(kept.bytes.size()), kept.bytes.data(), kept.bytes.size());
  }
  kept_.clear();
  kept_bytes_ = 0;
}

void Values::truncate(size_t size) {
  if (kept_.empty()) {
    copied_.truncate(size);
  }
  while (kept_bytes_ > size) {
    kept_bytes_ -= kept_.back().bytes.size();
    kept_.pop_back();
  }
}

std::vector<std::span<const std::byte>> Values::pieces() const {
  std::vector<std::span<const std::byte>> pieces;
  pieces.reserve(kept_.size());
  for (const Kept& kept : kept_) {
    pieces.push_back(kept.bytes);
  }
  return pieces;
}

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

ByteBuffer& ByteBuffer::operator=(ByteBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

ByteBuffer::~ByteBuffer() { std::free(data_); }

std::byte* ByteBuffer::extend(size_t count) {
  if (capacity_ - size_ < count) {
    capacity_ = std::max<size_t>(size_ + count, capacity_ * 2 + 4096);
    auto* larger = static_cast<std::byte*>(std::realloc(data_, capacity_));
    MUSTER_CHECK(larger != nullptr, "no memory left for the rows of a block");
    data_ = larger;
  }
  std::byte* at = data_ + size_;
  size_ += count;
  return at;
}

}  // namespace muster::feed

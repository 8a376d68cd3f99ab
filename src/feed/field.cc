#include "feed/field.h"

#include "base/check.h"
#include "feed/layout.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace muster::feed {
namespace {

bool is_text(const Field& field) { return field.look == Look::Bytes || field.look == Look::Text; }

#ifdef __x86_64__
[[gnu::target("prfchw")]]  // Does nothing on processors without this instruction.
#endif
void fetch_to_write(std::byte* at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += kLine) {
    __builtin_prefetch(at + i, 1);
  }
}

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
  std::span<const int64_t> offsets = field.offsets;
  if (!field.offsets_place.empty()) {
    offsets = {reinterpret_cast<const int64_t*>(field.offsets_place.data()), offsets.size()};
  }
  Column column{.look = field.look,
                .item = field.item,
                .variable = field.variable,
                .width = field.width,
                .shape = field.shape,
                .name = field.name,
                .children = {},
                .values = field.values.bytes(),
                .offsets = offsets,
                .validity = {}};
  for (const Field& child : field.children) {
    column.children.push_back(column_of(child));
  }
  return column;
}

Values::Values(Values&& other) noexcept { *this = std::move(other); }

Values& Values::operator=(Values&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(home_, other.home_);
  std::swap(at_home_, other.at_home_);
  std::swap(own_, other.own_);
  std::swap(own_capacity_, other.own_capacity_);
  return *this;
}

Values::~Values() { std::free(own_); }

void Values::place(std::span<std::byte> home) {
  home_ = home;
  data_ = home.data();
  capacity_ = home.size();
  size_ = 0;
  at_home_ = 0;
}

void Values::leave() {
  if (size_ == 0) {
    data_ = own_;
    capacity_ = own_capacity_;
  } else if (data_ != own_) {
    grow(size_);
  }
  home_ = {};
}

std::byte* Values::extend(size_t count) {
  if (capacity_ - size_ < count) {
    grow(std::max<size_t>(size_ + count, capacity_ * 2 + 4096));
  }
  std::byte* at = data_ + size_;
  size_ += count;
  return at;
}

void Values::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
    expect(bytes.size());
  }
}

void Values::expect(size_t count) const {
  constexpr size_t kMost = 8192;  // More would push out what is needed sooner.
  fetch_to_write(data_ + size_, std::min({capacity_ - size_, count, kMost}));
}

void Values::truncate(size_t size) {
  size_ = size;
  if (!home_.empty() && !at_home() && size <= at_home_) {
    data_ = home_.data();
    capacity_ = home_.size();
  }
}

/// Moves to memory of its own, of at least `capacity` bytes.
void Values::grow(size_t capacity) {
  const bool was_home = data_ != own_;
  if (own_ == nullptr || own_capacity_ < capacity) {
    own_ = static_cast<std::byte*>(std::realloc(own_, std::max<size_t>(capacity, 1)));
    MUSTER_CHECK(own_ != nullptr, "not enough memory for the rows of a block");
    own_capacity_ = capacity;
  }
  if (was_home) {
    at_home_ = size_;
    if (size_ != 0) {
      std::memcpy(own_, data_, size_);
    }
  }
  data_ = own_;
  capacity_ = own_capacity_;
}

}  // namespace muster::feed

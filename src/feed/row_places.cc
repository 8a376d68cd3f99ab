#include "feed/layout.h"
#include "feed/row_encoder.h"

#include <algorithm>
#include <cstring>

// Where the rows of RowEncoder are in their block: each column has a place for as many rows as
// fit, so that every value is written once, where the reader finds it.
namespace muster::feed {
namespace {

constexpr uint64_t kMostPlaces = 1U << 20U;

size_t bytes_per_row(const Field& leaf) {
  return leaf.variable ? leaf.bytes_per_row : leaf.width * item_bytes(leaf);
}

}  // namespace

void RowEncoder::use(std::span<std::byte> block) { block_ = block; }

void RowEncoder::find_leaves(Field& field) {
  for (Field& child : field.children) {
    find_leaves(child);
  }
  if (field.children.empty()) {
    leaves_.push_back(&field);
  }
}

/// Gives each column its place, if the block takes a row.
void RowEncoder::place() {
  leaves_.clear();
  find_leaves(root_);
  size_t per_row = 0;
  size_t start = head_bytes(column());
  // What alignment takes, and one more offset than rows.
  size_t lost = start;
  for (const Field* leaf : leaves_) {
    per_row += bytes_per_row(*leaf) + (leaf->variable ? sizeof(int64_t) : 0);
    lost += leaf->variable ? 3 * kLine : kLine;
  }
  if (lost >= block_.size() || per_row > block_.size() - lost) {
    return;
  }
  places_ = std::min<uint64_t>((block_.size() - lost) / std::max<size_t>(per_row, 1), kMostPlaces);
  const auto next = [&](size_t bytes) {
    const std::span<std::byte> place = block_.subspan(start, bytes);
    start += padded(bytes);
    return place;
  };
  for (Field* leaf : leaves_) {
    leaf->values.place(next(places_ * bytes_per_row(*leaf)));
    if (leaf->variable) {
      leaf->offsets_place = next((places_ + 1) * sizeof(int64_t));
    }
  }
}

bool RowEncoder::in_place() const {
  return places_ != 0 && std::all_of(leaves_.begin(), leaves_.end(),
                                     [](const Field* leaf) { return leaf->values.at_home(); });
}

size_t RowEncoder::finish() {
  for (Field* leaf : leaves_) {
    if (leaf->variable) {
      const auto offsets = std::as_bytes(std::span(leaf->offsets));
      std::memcpy(leaf->offsets_place.data(), offsets.data(), offsets.size());
    }
  }
  return write_head(block_, column(), rows_);
}

void RowEncoder::leave() {
  for (Field* leaf : leaves_) {
    leaf->values.leave();
    leaf->offsets_place = {};
  }
  block_ = {};
  places_ = 0;
}

void RowEncoder::next_block() {
  for (Field* leaf : leaves_) {
    if (leaf->variable && rows_ != 0) {
      expect_rows_of(*leaf, leaf->values.size() / rows_);
    }
  }
  truncate(root_, 0);
  rows_ = 0;
  leave();
}

void RowEncoder::forget() {
  leaves_.clear();
  root_ = Field{};
  block_ = {};
  places_ = 0;
  rows_ = 0;
  known_ = false;
}

}  // namespace muster::feed

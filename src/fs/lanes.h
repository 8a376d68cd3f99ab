#pragma once

#include "base/result.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace muster::fs {

/// How many small files are copied at the same time: they cost round trips and little else. Their
/// size bounds the memory that this takes.
inline constexpr size_t kLanes = 8;
inline constexpr uint64_t kSmallFileBytes = 256U << 10;

/// Copies many files, several at a time, until all are done or one has failed; those then under way
/// are ended properly. `Item` has `size_bytes` and `name()`. Must outlive run().
template <class Item>
class Lanes {
 public:
  using Begin = std::function<void(std::string name, uint64_t size_bytes)>;
  using Copy = std::function<rt::Async<Status>(Item item)>;

  /// `begin` is called with the name and size of what is copied next, for the progress line.
  Lanes(rt::Loop& loop, Begin begin, Copy copy)
      : loop_(&loop), begin_(std::move(begin)), copy_(std::move(copy)) {}

  /// Copies the small ones of `items` side by side, then the large ones one by one. Returns the
  /// first error.
  [[nodiscard]] rt::Async<Status> run(std::vector<Item> items) {
    std::vector<Item> small;
    std::vector<Item> large;
    for (Item& item : items) {
      (item.size_bytes <= kSmallFileBytes ? small : large).push_back(std::move(item));
    }
    MUSTER_CO_TRY_STATUS(co_await copy_small(std::move(small)));
    for (Item& item : large) {
      begin_(item.name(), item.size_bytes);
      MUSTER_CO_TRY_STATUS(co_await copy_(std::move(item)));
    }
    co_return Status();
  }

 private:
  rt::Async<Status> copy_small(std::vector<Item> items) {
    if (items.empty()) {
      co_return Status();
    }
    uint64_t bytes = 0;
    for (const Item& item : items) {
      bytes += item.size_bytes;
    }
    begin_(items.size() == 1 ? items.front().name() : std::to_string(items.size()) + " files",
           bytes);
    small_ = std::move(items);
    next_ = 0;
    std::vector<rt::Async<Status>> lanes;
    for (size_t i = 0; i < std::min(kLanes, small_.size()); ++i) {
      lanes.push_back(lane());
    }
    const std::vector<Status> ended = co_await rt::all(*loop_, std::move(lanes));
    for (const Status& status : ended) {
      MUSTER_CO_TRY_STATUS(status);
    }
    co_return Status();
  }

  rt::Async<Status> lane() {
    while (next_ < small_.size()) {
      Item item = std::move(small_[next_++]);
      Status copied = co_await copy_(std::move(item));
      if (!copied.has_value()) {
        next_ = small_.size();  // The others end with what they do now.
        co_return copied;
      }
    }
    co_return Status();
  }

  rt::Loop* loop_;
  Begin begin_;
  Copy copy_;
  std::vector<Item> small_;
  size_t next_ = 0;
};

}  // namespace muster::fs

#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>

namespace muster::feed {

/// A piece of memory shared by two processes of one host through a descriptor. All of it is
/// reserved before use and, if the kernel can seal it, nobody can shrink it, so that touching it
/// does not end a process with SIGBUS. Not copyable; unmapped and closed at the end.
class Segment {
 public:
  /// Makes one of `bytes` (rounded up to a page): a memfd or, if the kernel has none or less than
  /// twice as much memory is left, an unlinked file in `folder`. OutOfSpace, with the numbers, if
  /// neither can be reserved.
  [[nodiscard]] static Result<Segment> create(size_t bytes, const std::string& folder);
  /// Maps what `fd` (owned from now on, closed even on errors) holds. Corrupt if it is smaller than
  /// `least` bytes.
  [[nodiscard]] static Result<Segment> adopt(int fd, size_t least);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }
  /// Returns whether it became a file because memory was short, which is slower. For a warning.
  [[nodiscard]] bool on_disk() const { return on_disk_; }
  /// For passing to the peer. Stays the segment's.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  Segment(int fd, std::byte* data, size_t size, bool on_disk)
      : fd_(fd), data_(data), size_(size), on_disk_(on_disk) {}
  [[nodiscard]] static Result<Segment> map(int fd, size_t bytes, bool on_disk, bool whole);

  int fd_ = -1;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  bool on_disk_ = false;
};

}  // namespace muster::feed

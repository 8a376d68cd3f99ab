#pragma once

#include <algorithm>
#include <cstddef>

namespace muster::agent {

/// The account of what has been typed into a shell and the shell has not read yet, by all who had
/// it one after the other. A value.
class TypedInput {
 public:
  [[nodiscard]] size_t unread_bytes() const { return unread_; }
  void typed(size_t bytes) { unread_ += bytes; }
  /// Whoever types from now on is somebody else.
  void change_hands() { of_others_ = unread_; }
  /// The shell has read so much, in the order in which it was typed. Returns how much of that came
  /// from the one who has it now: only they get credit for it.
  [[nodiscard]] size_t was_read(size_t bytes) {
    unread_ -= bytes;
    const size_t of_others = std::min(bytes, of_others_);
    of_others_ -= of_others;
    return bytes - of_others;
  }

 private:
  size_t unread_ = 0;
  size_t of_others_ = 0;  ///< Of the unread.
};

}  // namespace muster::agent

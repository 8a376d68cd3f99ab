#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace muster::agent {

/// The account of what has been typed into a shell, by all who had it one after the other: what the
/// shell has not read yet, and how much has come of the client that has it now. A value.
class TypedInput {
 public:
  [[nodiscard]] size_t unread_bytes() const { return unread_; }
  void typed(size_t bytes) {
    unread_ += bytes;
    taken_ += bytes;
  }
  /// What is typed from now on comes by another stream, which gets no credit for what is unread.
  void change_hands() { of_others_ = unread_; }
  /// Somebody types from now on: the one who was called `known` before, if nobody else has typed
  /// since; 0 is nobody.
  void begin(uint32_t known) {
    if (known == 0 || known != typist_) {
      ++typist_;
      taken_ = 0;
    }
  }
  /// Who types now; from 1, and another one for each.
  [[nodiscard]] uint32_t typist() const { return typist_; }
  /// How much of theirs has come, by all of their streams.
  [[nodiscard]] uint64_t taken_bytes() const { return taken_; }
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
  uint32_t typist_ = 0;
  uint64_t taken_ = 0;
};

}  // namespace muster::agent

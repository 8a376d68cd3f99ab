#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace muster::client {

/// Parses "ctrl-],d" or "ctrl-p,ctrl-q", in docker's form: keys in sequence, each a character or
/// `ctrl-` and one of a-z @ [ \ ] ^ _. Returns the bytes that a terminal sends for them; "" for
/// "none".
[[nodiscard]] Result<std::string> parse_detach_keys(std::string_view text);

/// Describes such bytes for people: "Ctrl-] d".
[[nodiscard]] std::string describe_keys(std::string_view keys);

/// Looks in what a person types for the keys that detach from a shell. A prefix of them is held
/// back until the next key decides. A value.
class DetachWatch {
 public:
  explicit DetachWatch(std::string keys) : keys_(std::move(keys)) {}

  struct Typed {
    std::string bytes;      ///< For the shell.
    bool detached = false;  ///< The keys were typed; anything after them is dropped.
  };
  [[nodiscard]] Typed take(std::string_view bytes);
  /// The most by which take() may return more than it was given.
  [[nodiscard]] size_t held_max() const { return keys_.size(); }

 private:
  std::string keys_;
  size_t matched_ = 0;
};

}  // namespace muster::client

#pragma once

#include "verdict/last_words.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::verdict {

/// What the form of an error suggests if no rule knows its words.
struct Fallback {
  std::string_view class_name;
  std::string because;  ///< For people: "by the type ValueError".
};

/// Decides by the error number, a launcher's message, a server's code, the type of the exception, a
/// common phrase, or whose code raised it (fallback_words.h). Nothing if none of them says
/// anything. May be wrong, since the program's words were not recognized.
[[nodiscard]] std::optional<Fallback> fall_back(const LastWords& words);

/// Returns the class of a program that `signal` ended; empty for signals that mean nothing.
[[nodiscard]] std::string_view class_of_signal(int32_t signal);

}  // namespace muster::verdict

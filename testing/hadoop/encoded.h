#pragma once

#include <string>

namespace muster::testing {

/// Returns the message that the bytes encode: what the code under test sent must be well formed.
template <class Message>
[[nodiscard]] Message parsed(const std::string& bytes) {
  Message message;
  message.ParseFromString(bytes);
  return message;
}

}  // namespace muster::testing

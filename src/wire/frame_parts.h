#pragma once

#include <string>

namespace muster::wire {

/// The parts of a frame to send: `head`, then `body`. The data of a stream, which may be large, are
/// the body; for any other frame it is empty.
struct FrameParts {
  std::string head;
  std::string body;
};

}  // namespace muster::wire

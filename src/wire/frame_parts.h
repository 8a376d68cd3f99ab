#pragma once

#include <string>

namespace muster::wire {

/// What is sent of a frame: `head`, then `body`. The data of a stream, which may be large, are the
/// body; of any other frame it is empty.
struct FrameParts {
  std::string head;
  std::string body;
};

}  // namespace muster::wire

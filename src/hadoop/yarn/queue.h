#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class QueueState : uint8_t { Unknown, Stopped, Running, Draining };

struct QueueInfo {
  std::string name;
  QueueState state = QueueState::Unknown;
  std::vector<std::string> labels;  ///< Those it may use; "*" for all.

  bool operator==(const QueueInfo&) const = default;
};

/// What the asking user may do in a queue.
struct QueueRights {
  std::string queue;  ///< Its name; since Hadoop 3.4 its path.
  bool submit = false;

  bool operator==(const QueueRights&) const = default;
};

[[nodiscard]] std::string_view to_string(QueueState state);

}  // namespace muster::hadoop::yarn

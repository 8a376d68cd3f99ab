#pragma once

#include "wire/frame.h"

namespace muster::master {

/// Who watches a job beside its clients: its page. Called on the master's loop; must not call back
/// into the master from inside.
class Audience {
 public:
  virtual ~Audience() = default;
  /// Something that the status shows may have changed.
  virtual void changed() = 0;
  /// A piece of a task's output. Comes while somebody follows output, clients or this audience
  /// (Master::follow_output).
  virtual void output(const wire::Output& piece) = 0;
  /// Whether nothing is on its way to anybody: the master leaves after the job's end then. Turning
  /// true is told by Master::audience_served.
  [[nodiscard]] virtual bool served() const = 0;
};

}  // namespace muster::master

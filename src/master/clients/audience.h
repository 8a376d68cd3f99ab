#pragma once

#include "wire/frame.h"

namespace muster::master {

/// Watches a job apart from its clients: the job's page. Called on the master's loop; must not call
/// back into the master from inside.
class Audience {
 public:
  virtual ~Audience() = default;
  /// Something that the status shows may have changed.
  virtual void changed() = 0;
  /// A piece of a task's output. Comes while output is followed, by clients or by this audience
  /// (Master::follow_output).
  virtual void output(const wire::Output& piece) = 0;
  /// Returns whether nothing is on its way to anybody: after the job's end, the master then leaves.
  /// Becoming true is reported by Master::audience_served.
  [[nodiscard]] virtual bool served() const = 0;
};

}  // namespace muster::master

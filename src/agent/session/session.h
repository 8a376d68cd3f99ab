#pragma once

#include "base/result.h"
#include "wire/stream.h"

namespace muster::agent {

/// What a person does inside an attempt, by one stream. Lives on the loop's thread.
class Session {
 public:
  virtual ~Session() = default;

  /// What the person's end says. Corrupt if it does not keep to the rules.
  [[nodiscard]] virtual Status take(wire::StreamFrame::Kind kind) = 0;
  /// Nobody is at the other end any more. Returns whether the session ends, soon; else it waits
  /// for somebody to join it.
  virtual bool hang_up() = 0;
  /// It has not ended yet, and must.
  virtual void kill() = 0;
  /// The attempt has ended.
  virtual void attempt_over() = 0;
};

}  // namespace muster::agent

#pragma once

#include "base/result.h"
#include "wire/stream.h"

namespace muster::agent {

/// What a person does inside an attempt, over one stream. Lives on the loop's thread.
class Session {
 public:
  virtual ~Session() = default;

  /// Takes what the person's end says. Corrupt if it breaks the protocol.
  [[nodiscard]] virtual Status take(wire::StreamFrame::Kind kind) = 0;
  /// The other end is gone. Returns whether the session ends soon; if not, it waits for somebody to
  /// join it.
  virtual bool hang_up() = 0;
  /// Ends it by force: it has not ended yet, and must.
  virtual void kill() = 0;
  /// The attempt has ended.
  virtual void attempt_over() = 0;
};

}  // namespace muster::agent

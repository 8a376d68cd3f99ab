#pragma once

#include "net/resolver.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/scope.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::control {

/// Connections that are passed on to another port, byte for byte and unread, since they are
/// encrypted for whatever listens there. Each direction ends on its own, and both when one breaks.
/// Buffers no more than one piece for a slow reader. Lives on its loop's thread; the loop must
/// outlive it.
class PassedConnections {
 public:
  /// The maximum at a time; any further ones are closed at once.
  static constexpr size_t kMax = 256;

  explicit PassedConnections(rt::IoLoop& loop) : loop_(loop), scope_(loop) {}

  /// Dials "host:port" and passes on what arrives; closes `socket` if there is no answer in time.
  void pass(rt::Fd socket, std::string address);
  [[nodiscard]] size_t size() const { return scope_.size(); }

 private:
  [[nodiscard]] rt::Async<> connect(rt::Fd from, std::string address);
  /// Returns at the end of what `from` sends, or when either one has broken.
  [[nodiscard]] rt::Async<bool> carry(int from, int to);
  [[nodiscard]] rt::Async<bool> send_rest(int to, std::string rest);

  rt::IoLoop& loop_;
  std::optional<net::Resolver> resolver_;  ///< From the first one on.
  std::vector<char> piece_;                ///< Of one turn.
  rt::Scope scope_;                        ///< Last: its coroutines use all of the above.
};

}  // namespace muster::control

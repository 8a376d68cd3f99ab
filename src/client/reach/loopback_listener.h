#pragma once

#include "base/result.h"
#include "net/socket.h"
#include "net/stream.h"
#include "rt/accept_watch.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace muster::client {

/// Listens on a port of 127.0.0.1 for programs of this machine: those of this user and root, or of
/// all users. Lives on its loop's thread.
class LoopbackListener {
 public:
  using Accepted = std::function<void(std::unique_ptr<net::Stream> connection)>;
  /// Called for a program of another user, whose connection has been closed.
  using Refused = std::function<void(uint32_t user)>;

  /// Port 0: any free one. AlreadyExists if the port is taken. Connections wait until accept().
  [[nodiscard]] static Result<std::unique_ptr<LoopbackListener>> open(rt::IoLoop& loop,
                                                                      uint16_t port);

  LoopbackListener(rt::IoLoop& loop, net::Listening listening)
      : loop_(loop), listening_(std::move(listening)) {}
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  [[nodiscard]] uint16_t port() const { return listening_.port; }
  /// `refused`: none where every user may connect.
  void accept(Accepted accepted, Refused refused);

 private:
  void on_readable();
  [[nodiscard]] bool may_connect(int connection) const;

  rt::IoLoop& loop_;
  net::Listening listening_;
  Accepted accepted_;
  Refused refused_;
  std::optional<rt::AcceptWatch> coming_;  ///< Last: it ends before its descriptor closes.
};

}  // namespace muster::client

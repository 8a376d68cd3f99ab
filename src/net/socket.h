#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace muster::net {

struct ListenAddress {
  std::string host;        ///< A literal.
  uint16_t port_low = 0;   ///< 0: any free port; else the first free one from here
  uint16_t port_high = 0;  ///< to here.
};

/// A listening socket (non-blocking) and the port it got.
struct Listening {
  rt::Fd fd;
  uint16_t port = 0;
};

/// Listens. AlreadyExists if every port of the range is taken. In a range, a port that is held for
/// a task without anybody listening on it (os::HeldPort) is taken; one port alone may be the
/// caller's own, held for it. Connections in TIME_WAIT do not count, but other ports of a range
/// come first.
[[nodiscard]] Result<Listening> listen_on(const ListenAddress& address);

/// One TCP connection being made. Destroying it abandons the attempt.
class Connecting {
 public:
  using Done = std::function<void(Result<rt::Fd> socket)>;
  virtual ~Connecting() = default;
};

/// Connects on the loop; `done` is called once, never inside this call, with a non-blocking socket
/// without delays (TCP_NODELAY). There is no deadline here: the caller destroys what takes too
/// long.
[[nodiscard]] std::unique_ptr<Connecting> connect_to(rt::IoLoop& loop, const SocketAddress& address,
                                                     Connecting::Done done);

/// Makes an accepted or connected socket send small pieces at once.
void disable_delay(int fd);

/// Makes a connection end, however idle it is, if its peer has vanished silently; takes some hours,
/// by the system's defaults.
void keep_alive(int fd);
/// The same within a minute and a half, both when idle and when sending: for a person waiting at
/// this end, on a machine that may have slept and come back on another network.
void notice_loss_soon(int fd);

}  // namespace muster::net

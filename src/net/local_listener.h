#pragma once

#include "base/result.h"
#include "net/stream.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::net {

/// Listens for programs of this host and of this process's own user, without a port. Destroying it
/// stops listening; connections live on.
class LocalListener {
 public:
  virtual ~LocalListener() = default;
  /// "@muster-0123abc": the name of a Unix socket in the abstract space; the @ stands for a zero
  /// byte.
  [[nodiscard]] virtual const std::string& address() const = 0;
};

/// Makes such listeners.
class LocalListeners {
 public:
  using Accepted = std::function<void(std::unique_ptr<Stream> connection)>;
  virtual ~LocalListeners() = default;
  /// Listens under a name that nobody can guess. `accepted` is called from the loop.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalListener>> listen(Accepted accepted) = 0;
};

/// On the kernel's sockets. Programs of other users are turned away.
class UnixListeners final : public LocalListeners {
 public:
  explicit UnixListeners(rt::IoLoop& loop) : loop_(loop) {}
  [[nodiscard]] Result<std::unique_ptr<LocalListener>> listen(Accepted accepted) override;

 private:
  rt::IoLoop& loop_;
};

}  // namespace muster::net

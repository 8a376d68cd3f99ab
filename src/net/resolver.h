#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::net {

/// Host names to addresses, by /etc/hosts and DNS (c-ares), without the C library's name services.
/// Starts with its first real question.
class Resolver {
 public:
  /// At least one address, in the order they should be tried; their ports are the asked one.
  using Done = std::function<void(Result<std::vector<SocketAddress>> addresses)>;

  explicit Resolver(rt::IoLoop& loop);
  /// Forgets open questions; their `done` is not called.
  ~Resolver();

  /// Resolves a name or a literal. `done` comes once, never inside this call: NotFound for a name
  /// nobody knows, Unavailable when no server answers.
  void resolve(const std::string& host, uint16_t port, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::net

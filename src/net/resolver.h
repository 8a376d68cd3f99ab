#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::net {

/// Resolves host names to addresses, by /etc/hosts and DNS (c-ares), without the C library's name
/// services. Starts with its first real query.
class Resolver {
 public:
  /// Receives at least one address, in the order in which they should be tried; their port is the
  /// requested one.
  using Done = std::function<void(Result<std::vector<SocketAddress>> addresses)>;

  explicit Resolver(rt::IoLoop& loop);
  /// Forgets open queries; their `done` is not called.
  ~Resolver();

  /// Resolves a name or a literal. `done` is called once, never inside this call: NotFound for an
  /// unknown name, Unavailable if no server answers.
  void resolve(const std::string& host, uint16_t port, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::net

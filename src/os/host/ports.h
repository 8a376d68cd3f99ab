#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>

namespace muster::os {

/// A TCP port of one address of this host that is kept from others: bound, never listening, with
/// SO_REUSEADDR and SO_REUSEPORT, so that a child that sets either flag can listen on it meanwhile.
/// Destroying it releases the port, which must happen just before the exec of a program that sets
/// neither.
class HeldPort {
 public:
  virtual ~HeldPort() = default;
  [[nodiscard]] virtual uint16_t number() const = 0;
};

/// The TCP ports of this host. `host` is a numeric IP address ("127.0.0.1", "::1").
class Ports {
 public:
  virtual ~Ports() = default;
  /// Holds any free port.
  virtual Result<std::unique_ptr<HeldPort>> reserve(const std::string& host) = 0;
  /// Holds a given port; AlreadyExists if it is in use. Connections in TIME_WAIT do not count.
  virtual Result<std::unique_ptr<HeldPort>> reserve_given(const std::string& host,
                                                          uint16_t port) = 0;
  /// Holds the first free port from `low` to `high`, else the first on which only connections in
  /// TIME_WAIT are left; AlreadyExists if there is none.
  virtual Result<std::unique_ptr<HeldPort>> reserve_between(const std::string& host, uint16_t low,
                                                            uint16_t high) = 0;
};

[[nodiscard]] std::unique_ptr<Ports> make_ports();

}  // namespace muster::os

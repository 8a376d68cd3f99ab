#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"

#include <cstdint>
#include <limits>
#include <string_view>

namespace muster::hadoop {

/// Reads settings into fields and refuses what is out of range, naming file and line. For the
/// groups of settings (RpcSettings, HdfsSettings, ...); `configuration` must outlive it.
class BoundedSettings {
 public:
  explicit BoundedSettings(const Configuration& configuration) : configuration_(configuration) {}

  /// A time of at least 0; without a unit of its own it counts `unit`s.
  Status time(std::string_view name, Duration unit, Duration& out) const {
    MUSTER_TRY(out, configuration_.duration(name, unit));
    if (out < Duration(0)) {
      return configuration_.wrong(name, "a time cannot be negative");
    }
    return {};
  }

  /// A number from `low` to the largest int32.
  Status count(std::string_view name, int32_t low, int32_t& out) const {
    MUSTER_TRY(const int64_t value,
               configuration_.number(name, low, std::numeric_limits<int32_t>::max()));
    out = static_cast<int32_t>(value);
    return {};
  }

  /// A size from `low` bytes to 2 GiB - 1.
  Status bytes(std::string_view name, int64_t low, uint32_t& out) const {
    MUSTER_TRY(const int64_t value, configuration_.size_bytes(name));
    if (value < low || value > std::numeric_limits<int32_t>::max()) {
      return configuration_.wrong(name, "that size is out of range");
    }
    out = static_cast<uint32_t>(value);
    return {};
  }

 private:
  const Configuration& configuration_;
};

}  // namespace muster::hadoop

#pragma once

#include "rt/loop.h"

#include <cstdint>
#include <span>

namespace muster::rt {

/// The kernel's random bytes.
class SystemRandom final : public Random {
 public:
  void fill(std::span<uint8_t> bytes) override;
};

}  // namespace muster::rt

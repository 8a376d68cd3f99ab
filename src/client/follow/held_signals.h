#pragma once

#include "client/follow/console.h"
#include "os/process/signals.h"

#include <array>
#include <csignal>

namespace muster::client {

/// The signals that a followed job's foreground obeys.
inline constexpr std::array kForegroundSignals = {SIGINT, SIGTERM, SIGHUP};

/// While it lives, signals that a person or a batch system may send are held for whoever obeys
/// them, and while one is held the console does not wait for its reader.
class HeldSignals {
 public:
  explicit HeldSignals(Console& console)
      : signals_(kForegroundSignals),
        console_(console),
        before_(console.give_way_to(signals_.fd())) {}
  ~HeldSignals() { (void)console_.give_way_to(before_); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  os::HeldSignals signals_;
  Console& console_;
  int before_;
};

}  // namespace muster::client

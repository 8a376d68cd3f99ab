#pragma once

#include "client/follow/console.h"
#include "os/process/signals.h"

#include <array>
#include <csignal>

namespace muster::client {

/// What a followed job's foreground obeys.
inline constexpr std::array kForegroundSignals = {SIGINT, SIGTERM, SIGHUP};

/// While it lives, what a person may press or a batch system may send waits for whoever obeys it,
/// and the console waits for no reader while it does.
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

#pragma once

#include "base/time.h"

namespace muster::cluster::yarn {

/// How often the master calls the resource manager: every 200 ms for 15 s after a change in what is
/// requested or granted, then every second, and every 5 s once nothing has changed for 5 min. A
/// value; times are the loop's.
class BeatRule {
 public:
  /// What is requested, given back or granted has changed.
  void changed(HostTime now) { changed_ = now; }
  void beaten(HostTime now) { beaten_ = now; }
  /// Returns when the next call is due, as things stand.
  [[nodiscard]] HostTime next() const { return beaten_ + interval(); }

 private:
  [[nodiscard]] Duration interval() const;

  HostTime changed_{};
  HostTime beaten_{};
};

}  // namespace muster::cluster::yarn

#pragma once

#include "base/time.h"

namespace muster::cluster::yarn {

/// How often the master calls the resource manager: every 200 ms for 15 s after a change of what is
/// asked or granted, then every second, and every 5 s when nothing has changed for 5 min. A value;
/// times are the loop's.
class BeatRule {
 public:
  /// What is asked, given back or granted has changed.
  void changed(HostTime now) { changed_ = now; }
  void beaten(HostTime now) { beaten_ = now; }
  /// When the next call is due, as things stand.
  [[nodiscard]] HostTime next() const { return beaten_ + interval(); }

 private:
  [[nodiscard]] Duration interval() const;

  HostTime changed_{};
  HostTime beaten_{};
};

}  // namespace muster::cluster::yarn

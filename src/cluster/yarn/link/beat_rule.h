#pragma once

#include "base/time.h"

namespace muster::cluster::yarn {

/// How often the master calls the resource manager: every 50 ms for 2 s after a container was asked
/// for, when nodes that report once a second have all given what they can; every 200 ms for 15 s
/// after a change of what is asked or granted, then every second, and every 5 s when nothing has
/// changed for 5 min. A value; times are the loop's.
class BeatRule {
 public:
  /// What is asked, given back or granted has changed.
  void changed(HostTime now) { changed_ = now; }
  /// That, and it is more that is asked.
  void asked(HostTime now) { asked_ = changed_ = now; }
  void beaten(HostTime now) { beaten_ = now; }
  /// When the next call is due, as things stand.
  [[nodiscard]] HostTime next() const { return beaten_ + interval(); }

 private:
  [[nodiscard]] Duration interval() const;

  HostTime asked_{};
  HostTime changed_{};
  HostTime beaten_{};
};

}  // namespace muster::cluster::yarn

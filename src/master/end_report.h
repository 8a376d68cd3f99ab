#pragma once

#include "master/deps.h"
#include "rt/loop.h"
#include "rt/running.h"

#include <functional>
#include <utility>

namespace muster::master {

/// Tells the owner of a master how its term ended, from the event loop, because the news may come
/// from a part that is still at work, and the owner may destroy all parts. Until then, destroying
/// this cancels the report.
class EndReport {
 public:
  using Ended = std::function<void(const MasterEnd&)>;

  /// `ended` may destroy this object.
  EndReport(rt::Loop& loop, Ended ended) : loop_(loop), ended_(std::move(ended)) {}
  EndReport(const EndReport&) = delete;
  EndReport& operator=(const EndReport&) = delete;

  /// Call once. `close` runs first: nobody is connected any more when the owner is told.
  void tell(MasterEnd end, std::function<void()> close);

 private:
  rt::Loop& loop_;
  Ended ended_;
  rt::Running running_;  ///< Last: it uses the rest.
};

}  // namespace muster::master

#pragma once

#include "base/time.h"
#include "job/action.h"

#include <utility>
#include <variant>
#include <vector>

namespace muster::job {

/// One fact on its way through the machine: when it arrived, and the actions it has led to so far.
struct Turn {
  Time now{};
  std::vector<Action> actions;
  bool wait_changed = false;  ///< Chronicle::waits_for() must be worded anew.

  template <class A>
  void act(A action) {
    actions.emplace_back(std::in_place_type<A>, std::move(action));
  }
};

}  // namespace muster::job

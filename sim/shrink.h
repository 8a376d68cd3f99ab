#pragma once

#include "sim/core/faults.h"

#include <cstddef>
#include <functional>
#include <string>

namespace muster::sim {

/// Takes one kind of fault after the other away from a failing run as long as it still fails with
/// the same checker ("checker: what is broken"); returns the options of the smallest run.
template <class Options>
Options shrink_with(const Options& failing, size_t kinds,
                    const std::function<std::string(const Options&)>& failure_of) {
  const auto checker_of = [&failure_of](const Options& options) {
    const std::string failure = failure_of(options);
    return failure.substr(0, failure.find(':'));
  };
  Options smallest = failing;
  smallest.trace = false;
  const std::string checker = checker_of(smallest);
  for (size_t i = 0; i < kinds; ++i) {
    Options fewer = smallest;
    fewer.without.insert(static_cast<Fault>(i));
    if (checker_of(fewer) == checker) {
      smallest = fewer;
    }
  }
  return smallest;
}

}  // namespace muster::sim

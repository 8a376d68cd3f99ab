#include "sim/core/trace.h"

#include "job/describe.h"

#include <fmt/format.h>

#include <cstdio>

namespace muster::sim {

void trace(Time now, const job::Plan& plan, const job::Fact& fact,
           std::span<const job::Action> actions) {
  std::string line =
      fmt::format("{:10.4f}  {}\n", static_cast<double>(now.time_since_epoch().count()) / 1e6,
                  describe(plan, fact));
  for (const job::Action& action : actions) {
    line += "              -> " + describe(plan, action) + "\n";
  }
  std::fputs(line.c_str(), stdout);
}

}  // namespace muster::sim

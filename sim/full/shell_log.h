#pragma once

#include "base/log.h"
#include "sim/world.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

namespace muster::sim {

/// What the shells write into their logs: printed on demand. Remembers which events came.
class ShellLog final : public log::Sink {
 public:
  ShellLog(const World& world, bool print) : world_(world), print_(print) {}
  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override {
    if (level != log::Level::Debug) {
      seen_.emplace(event);
    }
    if (print_ && level != log::Level::Debug) {
      const double now = static_cast<double>(world_.now().time_since_epoch().count()) / 1e6;
      fmt::print("{:10.4f}        {}\n", now, log::format_line(level, event, fields));
    }
  }

  [[nodiscard]] const std::set<std::string>& seen() const { return seen_; }

 private:
  const World& world_;
  bool print_;
  std::set<std::string> seen_;
};

}  // namespace muster::sim

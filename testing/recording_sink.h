#pragma once

#include "base/log.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// Keeps every line, formatted, and counts those that a human must act on.
class RecordingSink final : public log::Sink {
 public:
  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override {
    lines_.push_back(log::format_line(level, event, fields));
    errors_ += level == log::Level::Error ? 1 : 0;
  }

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] size_t errors() const { return errors_; }
  /// Returns how many lines contain `text`.
  [[nodiscard]] size_t count(std::string_view text) const {
    size_t found = 0;
    for (const std::string& line : lines_) {
      found += line.find(text) != std::string::npos ? 1 : 0;
    }
    return found;
  }

 private:
  std::vector<std::string> lines_;
  size_t errors_ = 0;
};

}  // namespace muster::testing

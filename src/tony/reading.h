#pragma once

#include "base/result.h"
#include "spec/settings.h"
#include "tony/conversion.h"
#include "tony/properties.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// Reads settings by type, and keeps the first value that cannot be read.
class Reading {
 public:
  Reading(Properties& properties, std::vector<Note>& notes)
      : properties_(properties), notes_(notes) {}

  [[nodiscard]] bool has(const std::string& name) const { return properties_.has(name); }
  [[nodiscard]] std::vector<std::string> names(std::string_view begin, std::string_view end) const {
    return properties_.names(begin, end);
  }
  /// The value, or `fallback` where there is none or an empty one.
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback);
  [[nodiscard]] std::string lower(const std::string& name, const std::string& fallback);
  [[nodiscard]] int64_t number(const std::string& name, int64_t fallback);
  [[nodiscard]] bool flag(const std::string& name, bool fallback);
  [[nodiscard]] uint64_t memory(const std::string& name, uint64_t fallback);
  /// The parts between commas, without blanks around them.
  [[nodiscard]] std::vector<std::string> list(const std::string& name);
  [[nodiscard]] static std::vector<std::string> split_list(std::string_view text);
  void add_resources(const std::string& name, std::vector<spec::File>& to);

  void note(std::string name, std::string text);
  /// The first value that could not be read.
  [[nodiscard]] const Status& error() const { return error_; }

 private:
  void fail(const Property& property, std::string_view what);

  Properties& properties_;
  std::vector<Note>& notes_;
  Status error_;
};

}  // namespace muster::tony

#pragma once

#include "base/result.h"
#include "spec/settings.h"
#include "tony/conversion.h"
#include "tony/properties.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// Reads settings by type, and keeps the first error.
class Reading {
 public:
  Reading(Properties& properties, std::vector<Note>& notes)
      : properties_(properties), notes_(notes) {}

  [[nodiscard]] bool has(const std::string& name) const { return properties_.has(name); }
  [[nodiscard]] std::vector<std::string> names(std::string_view begin, std::string_view end) const {
    return properties_.names(begin, end);
  }
  /// Returns the value, or `fallback` if there is none or it is empty.
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback);
  [[nodiscard]] std::string lower(const std::string& name, const std::string& fallback);
  /// A whole number within [least, int32's most]; what TonY keeps it in.
  [[nodiscard]] int64_t number(const std::string& name, int64_t fallback,
                               int64_t least = std::numeric_limits<int32_t>::min());
  [[nodiscard]] uint32_t count(const std::string& name, uint32_t fallback, uint32_t least);
  /// A number of cores: 0 is 1, which YARN gives at least.
  [[nodiscard]] uint32_t vcores(const std::string& name, uint32_t fallback);
  /// Reads a flag as Hadoop does: what is neither true nor false, in any case, counts as the
  /// fallback.
  [[nodiscard]] bool flag(const std::string& name, bool fallback);
  [[nodiscard]] uint64_t memory(const std::string& name, uint64_t fallback);
  /// The parts between commas, without blanks around them, which TonY took for part of the names:
  /// a note says what was meant.
  [[nodiscard]] std::vector<std::string> list(const std::string& name);
  /// The same for a list from which TonY removed blanks, too.
  [[nodiscard]] std::vector<std::string> trimmed_list(const std::string& name);
  [[nodiscard]] static std::vector<std::string> split_list(std::string_view text);
  void add_resources(const std::string& name, std::vector<spec::File>& to);

  void note(std::string name, std::string text, Note::Kind kind = Note::Kind::Differs);
  /// Records an error about a setting that exists.
  void refuse(const std::string& name, std::string_view what);
  /// The first value that could not be read.
  [[nodiscard]] const Status& error() const { return error_; }

 private:
  void fail(const Property& property, std::string_view what);

  Properties& properties_;
  std::vector<Note>& notes_;
  Status error_;
};

}  // namespace muster::tony

#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::stacks {

/// Reads plain values from a Python pickle: None, booleans, numbers, text, lists (tuples are
/// lists), dictionaries. A pickle is a program; of its instructions only those that make such
/// values are executed. Anything that would import, call or build something else is an error, so
/// that reading a file from a user's program is safe.
class Pickle {
 public:
  enum class Kind : uint8_t { Nothing, Truth, Integer, Float, Text, List, Dictionary };
  struct Value {
    Kind kind = Kind::Nothing;
    int64_t integer = 0;          ///< Of Integer and Truth.
    double number = 0;            ///< Of Float.
    std::string text = {};        ///< Of Text; bytes, too.
    std::vector<uint32_t> items;  ///< Of List; of Dictionary key, value, key, value.
  };

  /// Corrupt for anything that is not a pickle, is too large or wants more than plain values.
  [[nodiscard]] static Result<Pickle> read(std::string_view bytes);

  [[nodiscard]] const Value& root() const { return values_.at(root_); }
  [[nodiscard]] const Value& at(uint32_t item) const { return values_.at(item); }
  /// Returns the value at a key of a dictionary; nullptr if there is none, or `from` is not a
  /// dictionary.
  [[nodiscard]] const Value* find(const Value& from, std::string_view key) const;

 private:
  class Reader;

  std::vector<Value> values_;
  uint32_t root_ = 0;
};

/// Far above any flight recorder's dump.
inline constexpr size_t kPickleBytesMax = 32U << 20;
inline constexpr size_t kPickleValuesMax = 2'000'000;

}  // namespace muster::stacks

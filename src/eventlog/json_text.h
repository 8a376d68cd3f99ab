#pragma once

#include "base/text.h"

#include <fmt/format.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace muster::eventlog {

/// Builds the text of one JSON object, members in the order of adding. Texts may be any bytes:
/// invalid UTF-8 becomes U+FFFD.
class JsonObject {
 public:
  /// Adds a member whose value is JSON already.
  JsonObject& raw(std::string_view key, std::string_view json) {
    text_ += fmt::format("{}{}:{}", text_.empty() ? "" : ",", json_quote(key), json);
    return *this;
  }
  JsonObject& text(std::string_view key, std::string_view value) {
    return raw(key, json_quote(value));
  }
  /// Adds null for an empty text.
  JsonObject& text_or_null(std::string_view key, std::string_view value) {
    return raw(key, value.empty() ? "null" : json_quote(value));
  }
  template <std::integral Number>
  JsonObject& number(std::string_view key, Number value) {
    return raw(key, fmt::to_string(value));
  }
  template <std::integral Number>
  JsonObject& number(std::string_view key, const std::optional<Number>& value) {
    return raw(key, value ? fmt::to_string(*value) : "null");
  }
  [[nodiscard]] std::string str() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// Builds the text of one JSON array of values that are JSON already.
class JsonArray {
 public:
  JsonArray& raw(std::string_view json) {
    text_ += text_.empty() ? "" : ",";
    text_ += json;
    return *this;
  }
  [[nodiscard]] std::string str() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace muster::eventlog

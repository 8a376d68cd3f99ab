#include "fields.h"

namespace muster::probe {

std::string text_of(const json::object& from, std::string_view key, std::string_view otherwise) {
  const auto* const value = from.if_contains(key);
  return value == nullptr ? std::string(otherwise) : std::string(value->as_string());
}

int64_t number_of(const json::object& from, std::string_view key, int64_t otherwise) {
  const auto* const value = from.if_contains(key);
  return value == nullptr ? otherwise : value->as_int64();
}

bool flag_of(const json::object& from, std::string_view key) {
  const auto* const value = from.if_contains(key);
  return value != nullptr && value->as_bool();
}

std::vector<std::string> texts_of(const json::object& from, std::string_view key) {
  std::vector<std::string> texts;
  if (const auto* const value = from.if_contains(key); value != nullptr) {
    for (const auto& one : value->as_array()) {
      texts.emplace_back(one.as_string());
    }
  }
  return texts;
}

}  // namespace muster::probe

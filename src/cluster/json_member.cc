#include "cluster/json_member.h"

namespace muster::cluster {

std::string text_in(const boost::json::object& from, std::string_view key) {
  const boost::json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<int64_t> number_in(const boost::json::object& from, std::string_view key) {
  const boost::json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

}  // namespace muster::cluster

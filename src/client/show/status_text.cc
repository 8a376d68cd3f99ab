#include "client/show/status_text.h"

#include <boost/json.hpp>

namespace muster::client {

namespace {

std::string text_member(std::string_view status_json, std::string_view name) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse(status_json, error);
  if (error || !document.is_object()) {
    return {};
  }
  const boost::json::value* member = document.get_object().if_contains(name);
  return member != nullptr && member->is_string() ? std::string(member->get_string())
                                                  : std::string();
}

}  // namespace

std::string waits_for_of(std::string_view status_json) {
  return text_member(status_json, "waits_for");
}

std::string log_trouble_of(std::string_view status_json) {
  return text_member(status_json, "log_trouble");
}

std::string notice_trouble_of(std::string_view status_json) {
  return text_member(status_json, "notice_trouble");
}

}  // namespace muster::client

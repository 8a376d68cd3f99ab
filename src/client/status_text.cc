#include "client/status_text.h"

#include <boost/json.hpp>

namespace muster::client {

std::string waits_for_of(std::string_view status_json) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse(status_json, error);
  if (error || !document.is_object()) {
    return {};
  }
  const boost::json::value* waits = document.get_object().if_contains("waits_for");
  return waits != nullptr && waits->is_string() ? std::string(waits->get_string()) : std::string();
}

}  // namespace muster::client

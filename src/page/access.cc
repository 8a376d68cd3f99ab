#include "page/access.h"

#include "base/text.h"

namespace muster::page {

bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) {
    return false;
  }
  unsigned char different = 0;
  for (size_t at = 0; at < one.size(); ++at) {
    different |= static_cast<unsigned char>(one[at] ^ other[at]);
  }
  return different == 0;
}

std::string_view cookie_of(const net::HttpRequest& request, std::string_view name) {
  for (const auto& [header, value] : request.headers) {
    if (header != "cookie") {
      continue;
    }
    for (const std::string_view part : split(value, ';')) {
      const std::string_view cookie = trim(part);
      const size_t equals = cookie.find('=');
      if (equals != std::string_view::npos && cookie.substr(0, equals) == name) {
        return cookie.substr(equals + 1);
      }
    }
  }
  return {};
}

}  // namespace muster::page

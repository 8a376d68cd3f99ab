#include "net/http.h"

#include <algorithm>

namespace muster::net {

std::string_view find_header(const HttpHeaders& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &HttpHeaders::value_type::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace muster::net

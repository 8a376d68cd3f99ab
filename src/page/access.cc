#include "page/access.h"

#include "base/text.h"

#include <algorithm>
#include <vector>

namespace muster::page {
namespace {

/// Longer than any token and any owner's key.
constexpr size_t kUnknownBodyMax = 4U << 10;

}  // namespace

net::HttpServer::BodyMax body_max_by(Access& access) {
  return [&access](const net::HttpRequest& head, const std::string& peer) {
    return access.is_known(head, peer) ? net::kHttpBodyMax : kUnknownBodyMax;
  };
}

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

std::vector<std::string_view> cookies_of(const net::HttpRequest& request, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [header, value] : request.headers) {
    if (header != "cookie") {
      continue;
    }
    for (const std::string_view part : split(value, ';')) {
      const std::string_view cookie = trim(part);
      const size_t equals = cookie.find('=');
      if (equals != std::string_view::npos && cookie.substr(0, equals) == name) {
        values.push_back(cookie.substr(equals + 1));
      }
    }
  }
  return values;
}

bool has_cookie(const net::HttpRequest& request, std::string_view name, std::string_view secret) {
  return std::ranges::any_of(cookies_of(request, name), [secret](std::string_view value) {
    return same_secret(value, secret);
  });
}

std::string_view cookie_of(const net::HttpRequest& request, std::string_view name) {
  const std::vector<std::string_view> values = cookies_of(request, name);
  return values.empty() ? std::string_view() : values.front();
}

}  // namespace muster::page

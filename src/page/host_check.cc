#include "page/host_check.h"

#include "base/ascii.h"
#include "net/address.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace muster::page {
namespace {

/// Returns "name" for "Name.:8080" and "::1" for "[::1]:8080"; nullopt if that is not a host.
std::optional<std::string> host_of(std::string_view value) {
  const bool bracketed = value.starts_with('[');
  const size_t end = bracketed ? value.find(']') : std::min(value.find(':'), value.size());
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  const std::string_view port = value.substr(end + (bracketed ? 1 : 0));
  const bool whole = port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) ==
                                                            std::string_view::npos);
  if (!whole) {
    return std::nullopt;
  }
  std::string host =
      ascii_lower(std::string(value.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0))));
  if (host.ends_with('.')) {
    host.pop_back();
  }
  return host;
}

}  // namespace

bool is_for_this_host(const net::HttpRequest& request, const std::vector<std::string>& names) {
  bool first = true;
  for (const auto& [header, value] : request.headers) {
    if (header != "host") {
      continue;
    }
    const std::optional<std::string> host = host_of(value);
    if (!std::exchange(first, false) || !host) {
      return false;
    }
    const bool ours = *host == "localhost" || host->ends_with(".localhost") ||
                      net::parse_literal(*host, 0).has_value() ||
                      std::ranges::find(names, *host) != names.end();
    if (!ours) {
      return false;
    }
  }
  return true;
}

bool is_of_this_page(const net::HttpRequest& request) {
  const std::string host = ascii_lower(std::string(request.header("host")));
  return std::ranges::all_of(request.headers, [&host](const auto& header) {
    const std::string origin = ascii_lower(header.second);
    return header.first != "origin" || origin == "http://" + host || origin == "https://" + host;
  });
}

net::HttpResponse wrong_host() {
  return {.status = 421,
          .headers = {},
          .body =
              "421 Misdirected Request: this machine is not known by that name; use its address, "
              "or the link that `muster status` prints\n"};
}

}  // namespace muster::page

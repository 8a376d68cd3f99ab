#pragma once

#include "net/http.h"

#include <string>
#include <vector>

namespace muster::page {

/// Returns whether a request is addressed to this machine: its `Host` is an IP address, localhost
/// or one of `names` (lower case), with any port. Somebody else's DNS name that points here would
/// make a browser take this page for theirs (DNS rebinding); an IP address cannot be abused like
/// that. A request without `Host` does not come from a browser and is let through. What proxies say
/// in other headers does not count, since a script can set these at will.
[[nodiscard]] bool is_for_this_host(const net::HttpRequest& request,
                                    const std::vector<std::string>& names);

/// Returns the answer to all others.
[[nodiscard]] net::HttpResponse wrong_host();

/// Returns whether the request was not caused by another site's page: there is no Origin, or it is
/// the host that is asked.
[[nodiscard]] bool is_of_this_page(const net::HttpRequest& request);

}  // namespace muster::page

#pragma once

#include "net/http.h"

#include <string>
#include <vector>

namespace muster::page {

/// Returns whether a request is addressed to this machine: its `Host` is an IP address, localhost
/// or one of `names` (lower case), with any port. A name that somebody else has in the DNS and lets
/// point here makes a browser take this page for theirs (DNS rebinding); an address they cannot
/// have. A request without `Host` comes from no browser, and is let pass. What proxies say in other
/// headers does not count: a script sets these as it likes.
[[nodiscard]] bool is_for_this_host(const net::HttpRequest& request,
                                    const std::vector<std::string>& names);

/// The answer to all others.
[[nodiscard]] net::HttpResponse wrong_host();

/// Whether no other site's page has a browser ask: there is no Origin, or it is the host that is
/// asked.
[[nodiscard]] bool is_of_this_page(const net::HttpRequest& request);

}  // namespace muster::page

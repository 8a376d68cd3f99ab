#pragma once

#include "net/http.h"
#include "net/stream.h"
#include "page/job_view.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <string>

namespace muster::page {

/// Where a request is passed on to.
struct RelayTarget {
  SideServer side;
  std::string name;  ///< For people.
  /// Where a browser finds the program's "/", without the trailing slash. Empty: read-only, and
  /// cookies are passed neither way.
  std::string prefix = {};
};

/// Asks a program beside a task for `target` ("/data/runs?x=1", below its path) and returns its
/// answer, as far as a page may pass it on: status, type, encoding, caching and its own policy. The
/// body is passed on piece by piece. Cookies go neither way. 502 when the program does not answer
/// within half a minute; a body whose next piece takes longer is cut off. A WebSocket is passed
/// through until either side closes it or says nothing for ten minutes; so is a stream of events.
///
/// With a prefix the program gets the method, the body, the host that the browser asked for and the
/// browser's cookies but the page's own, and is told the prefix (X-Forwarded-Prefix). Addresses to
/// which it redirects and its cookies are put below the prefix. `request` outlives the coroutine,
/// `loop` the answer.
[[nodiscard]] rt::Async<net::HttpResponse> relay(rt::Loop* loop, net::Dialer* dialer,
                                                 RelayTarget to, const net::HttpRequest* request,
                                                 std::string target);

}  // namespace muster::page

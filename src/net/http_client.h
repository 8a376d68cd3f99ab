#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net {

/// What a server answered. Header names are lower case; the body is whole and no longer in chunks.
struct HttpReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// Returns the value of the first header of that (lower-case) name; "" if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// The largest reply, head and body, that is read.
inline constexpr size_t kHttpReplyMax = size_t{64} << 20;

/// Parses a reply from all bytes that came so far; nothing if more must come. `ended`: no more will
/// come, which ends a body without a length. An error names what is wrong; read no more then.
[[nodiscard]] Result<std::optional<HttpReply>> parse_http_reply(std::string_view bytes, bool ended);

/// What is asked of a server.
struct HttpQuestion {
  HostPort server;
  std::string target = "/";  ///< "/path?query", encoded.
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Asks with GET, on a connection of its own. Any status is a reply; errors are Unavailable,
/// NotFound (the host), DeadlineExceeded, and Corrupt for what is not HTTP or too long. `dialer`
/// must outlive the coroutine.
[[nodiscard]] rt::Async<Result<HttpReply>> http_get(rt::Loop* loop, Dialer* dialer,
                                                    HttpQuestion question, HostTime deadline);

}  // namespace muster::net

#pragma once

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net {

/// A request as far as a page needs it. Header names are lower case.
struct HttpRequest {
  std::string method;
  std::string target;  ///< As sent: "/path?query".
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// Returns the value of the first header of that (lower-case) name; "" if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// The largest request, head and body, that is read.
inline constexpr size_t kHttpRequestMax = 16U << 10;

/// Parses a request from all bytes that came so far; nothing if more must come. An error names what
/// is wrong with it; take no more bytes then. Bodies need a Content-Length.
[[nodiscard]] Result<std::optional<HttpRequest>> parse_http_request(std::string_view bytes);

/// Returns the bytes of an answer after which the connection is closed.
[[nodiscard]] std::string format_http_response(const HttpResponse& response);

}  // namespace muster::net

#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
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
  bool keep_alive = true;  ///< The client may ask more on the same connection.
  size_t size_bytes = 0;   ///< How many bytes the request took, head and body.

  /// Returns the value of the first header of that (lower-case) name; "" if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// The largest head and the largest body of a request that are read.
inline constexpr size_t kHttpHeadMax = 16U << 10;
inline constexpr size_t kHttpBodyMax = 64U << 10;

/// Parses the first request of all bytes that came so far; nothing if more must come. An error
/// names what is wrong with it; take no more bytes then. Bodies need a Content-Length.
[[nodiscard]] Result<std::optional<HttpRequest>> parse_http_request(std::string_view bytes);

/// What becomes of a connection after an answer.
enum class Afterwards : uint8_t { Close, Keep };

/// Returns the bytes of an answer. Nothing of it is to be kept in caches; a header of that name in
/// `response` wins.
[[nodiscard]] std::string format_http_response(const HttpResponse& response,
                                               Afterwards afterwards = Afterwards::Close);

}  // namespace muster::net

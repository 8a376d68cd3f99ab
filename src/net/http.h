#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/stream.h"
#include "rt/async.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net {

/// Names and values of a message, in order.
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Returns the value of the first header of that (lower-case) name; "" if there is none.
[[nodiscard]] std::string_view find_header(const HttpHeaders& headers, std::string_view name);

/// A request as far as a page needs it. Header names are lower case; a body that came in chunks is
/// joined.
struct HttpRequest {
  std::string method;
  std::string target;  ///< As sent: "/path?query".
  HttpHeaders headers;
  std::string body;
  bool keep_alive = true;    ///< The client may send more requests on the connection.
  bool reads_chunks = true;  ///< It speaks HTTP/1.1.
  std::string upgrade;       ///< The protocol it wants to switch to; "" if none.

  [[nodiscard]] std::string_view header(std::string_view name) const {
    return find_header(headers, name);
  }
};

/// A body that is passed on in pieces, so that it never lies in memory as a whole.
class HttpBody {
 public:
  virtual ~HttpBody() = default;
  /// Returns the next piece; an empty one is the end. After an error the body is incomplete.
  [[nodiscard]] virtual rt::Async<Result<std::string>> next() = 0;
};

/// Takes over a connection that has left HTTP, until it ends. `early` followed the request.
using HttpUpgraded = std::function<rt::Async<>(Stream* client, std::string early)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  HttpHeaders headers;
  std::string body;
  std::unique_ptr<HttpBody> pieces = nullptr;  ///< Instead of `body`.
  /// How long each piece may take; zero: as long as the server allows for answers.
  Duration piece_patience{};
  HttpUpgraded upgraded = nullptr;  ///< With status 101.
};

/// The largest head, the largest body and the most headers of a request that are read.
inline constexpr size_t kHttpHeadMax = 16U << 10;
inline constexpr size_t kHttpBodyMax = 64U << 10;
inline constexpr size_t kHttpHeadersMax = 128;

}  // namespace muster::net

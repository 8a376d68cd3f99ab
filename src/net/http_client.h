#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/http.h"
#include "net/http_codec.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstddef>
#include <memory>
#include <string>

namespace muster::net {

/// What a server answered, with its whole body.
struct HttpClientResponse : HttpResponseHead {
  std::string body;
};

/// The largest body that http_get keeps.
inline constexpr size_t kHttpResponseMax = size_t{64} << 20;

/// A request to a server.
struct HttpClientRequest {
  HostPort server;
  std::string method = "GET";
  std::string target = "/";  ///< "/path?query", encoded.
  std::string host;          ///< The Host header's value; "": the server's own name.
  HttpHeaders headers;
  std::string body;
  bool upgrade = false;  ///< `headers` also ask for another protocol.
};

/// A response whose head has arrived and whose body comes in pieces of at most 64 KiB.
class HttpDownload final : public HttpBody {
 public:
  /// Each piece may take `patience`.
  HttpDownload(rt::Loop* loop, std::unique_ptr<Stream> stream, HttpResponseReader reader,
               Duration patience);

  [[nodiscard]] const HttpResponseHead& head() const { return reader_.head(); }
  /// Returns whether nothing more will come.
  [[nodiscard]] bool is_whole() const { return reader_.is_whole(); }
  [[nodiscard]] rt::Async<Result<std::string>> next() override;

  /// Sets how long each further piece may take.
  void set_patience(Duration patience) { patience_ = patience; }

  /// With status 101: the connection, and what has been read beyond the head.
  [[nodiscard]] Stream& stream() { return *stream_; }
  [[nodiscard]] std::string take_rest() { return reader_.take_rest(); }

 private:
  [[nodiscard]] rt::Async<Result<std::string>> read_piece();

  rt::Loop* loop_;
  std::unique_ptr<Stream> stream_;
  HttpResponseReader reader_;
  Duration patience_;
};

/// Sends a request on a connection of its own, and returns when the head of the answer has arrived.
/// Any status is a response; errors are Unavailable (also if a server accepts nothing for 30 s),
/// NotFound (the host), DeadlineExceeded (nothing came within `patience`), and Corrupt for anything
/// that is not HTTP. `dialer` outlives the coroutine.
[[nodiscard]] rt::Async<Result<std::unique_ptr<HttpDownload>>> http_open(rt::Loop* loop,
                                                                         Dialer* dialer,
                                                                         HttpClientRequest request,
                                                                         Duration patience);

/// The same with the whole body, by `deadline`; Corrupt if it is larger than kHttpResponseMax.
[[nodiscard]] rt::Async<Result<HttpClientResponse>> http_get(rt::Loop* loop, Dialer* dialer,
                                                             HttpClientRequest request,
                                                             HostTime deadline);

}  // namespace muster::net

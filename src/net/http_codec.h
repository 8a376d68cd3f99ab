#pragma once

#include "base/result.h"
#include "net/http.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Converts bytes of HTTP/1.1 to messages and back, with Boost.Beast's parser and serializer, which
/// stay inside http_codec.cc.
namespace muster::net {

/// Reads the requests of one connection as their bytes arrive. Keeps at most one request and what
/// was fed after it.
class HttpRequestReader {
 public:
  /// Returns the longest body, in bytes, that a request may have, given its head, which it may read
  /// but not keep.
  using BodyMax = std::function<size_t(const HttpRequest& head)>;

  /// A request with a longer body is malformed.
  explicit HttpRequestReader(size_t body_max = kHttpBodyMax);
  explicit HttpRequestReader(BodyMax body_max);
  ~HttpRequestReader();
  HttpRequestReader(HttpRequestReader&&) noexcept;
  HttpRequestReader& operator=(HttpRequestReader&&) noexcept;

  /// Takes the next bytes of the connection.
  void feed(std::string_view bytes);
  /// Returns the next request that has arrived whole; nothing if more must come. An error (Corrupt)
  /// says what is wrong with it; read no more from that connection then.
  [[nodiscard]] Result<std::optional<HttpRequest>> next();
  /// Returns and forgets what came after the last request, for a connection that leaves HTTP.
  [[nodiscard]] std::string take_rest();
  /// Returns whether something came after the last request.
  [[nodiscard]] bool has_rest() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a server answered, without the body. Header names are lower case.
struct HttpResponseHead {
  int status = 0;
  HttpHeaders headers;

  [[nodiscard]] std::string_view header(std::string_view name) const {
    return find_header(headers, name);
  }
};

/// Reads one response as its bytes arrive. Skips interim ones (100, 103). Keeps the head and the
/// part of the body that was not taken yet.
class HttpResponseReader {
 public:
  HttpResponseReader();
  ~HttpResponseReader();
  HttpResponseReader(HttpResponseReader&&) noexcept;
  HttpResponseReader& operator=(HttpResponseReader&&) noexcept;

  /// Takes the next bytes of the connection. Corrupt, with what is wrong; feed no more then.
  [[nodiscard]] Status feed(std::string_view bytes);
  /// The connection has ended, which ends a body without a length. Corrupt for any other response
  /// that is not whole.
  [[nodiscard]] Status end();
  [[nodiscard]] bool has_head() const;
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] const HttpResponseHead& head() const;
  /// Returns what has come of the body since the last call, with the chunking removed.
  [[nodiscard]] std::string take_body();
  /// Returns and forgets what came after the response, for a connection that leaves HTTP.
  [[nodiscard]] std::string take_rest();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What happens to a connection after an answer.
enum class Afterwards : uint8_t { Close, Keep };
/// How the end of an answer's body is known.
enum class Framing : uint8_t { Length, Chunks, Connection };

/// Returns the bytes of an answer up to its body. Nothing of it may be cached, unless `response`
/// has a header of that name. A header that contains a line break is left out.
[[nodiscard]] std::string format_http_head(const HttpResponse& response, Afterwards afterwards,
                                           Framing framing);
/// Returns the bytes of an answer with its body, after which the connection closes.
[[nodiscard]] std::string format_http_response(const HttpResponse& response);
/// Returns a piece of a body as a chunk; for "" the last one.
[[nodiscard]] std::string format_http_chunk(std::string_view piece);

}  // namespace muster::net

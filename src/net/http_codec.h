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

/// Bytes of HTTP/1.1 to messages and back, on Boost.Beast's parser and serializer, which stay
/// inside http_codec.cc.
namespace muster::net {

/// Reads the requests of one connection as their bytes come. Keeps at most one request and what was
/// fed behind it.
class HttpRequestReader {
 public:
  /// The longest body in bytes of a request of which the head has come, which it may read but not
  /// keep.
  using BodyMax = std::function<size_t(const HttpRequest& head)>;

  /// What has a longer body is malformed.
  explicit HttpRequestReader(size_t body_max = kHttpBodyMax);
  explicit HttpRequestReader(BodyMax body_max);
  ~HttpRequestReader();
  HttpRequestReader(HttpRequestReader&&) noexcept;
  HttpRequestReader& operator=(HttpRequestReader&&) noexcept;

  /// Takes the next bytes of the connection.
  void feed(std::string_view bytes);
  /// Returns the next request that has come whole; nothing if more must come. An error (Corrupt)
  /// names what is wrong with it; read no more of that connection then.
  [[nodiscard]] Result<std::optional<HttpRequest>> next();
  /// Returns and forgets what came behind the last request, for a connection that leaves HTTP.
  [[nodiscard]] std::string take_rest();
  /// Whether something came behind the last request.
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

/// Reads one response as its bytes come. Passes over interim ones (100, 103). Keeps the head and
/// what nobody has taken of the body.
class HttpResponseReader {
 public:
  HttpResponseReader();
  ~HttpResponseReader();
  HttpResponseReader(HttpResponseReader&&) noexcept;
  HttpResponseReader& operator=(HttpResponseReader&&) noexcept;

  /// Takes the next bytes of the connection. Corrupt, naming what is wrong; feed no more then.
  [[nodiscard]] Status feed(std::string_view bytes);
  /// The connection has ended, which ends a body without a length. Corrupt for every other that is
  /// not whole.
  [[nodiscard]] Status end();
  [[nodiscard]] bool has_head() const;
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] const HttpResponseHead& head() const;
  /// Returns what has come of the body since the last call, no longer in chunks.
  [[nodiscard]] std::string take_body();
  /// Returns and forgets what came behind the response, for a connection that leaves HTTP.
  [[nodiscard]] std::string take_rest();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What becomes of a connection after an answer.
enum class Afterwards : uint8_t { Close, Keep };
/// How the end of an answer's body is known.
enum class Framing : uint8_t { Length, Chunks, Connection };

/// Returns the bytes of an answer up to its body. Nothing of it is to be kept in caches; a header
/// of that name in `response` wins. A header with a line break in it is left out.
[[nodiscard]] std::string format_http_head(const HttpResponse& response, Afterwards afterwards,
                                           Framing framing);
/// Returns the bytes of an answer with its body, after which the connection closes.
[[nodiscard]] std::string format_http_response(const HttpResponse& response);
/// Returns a piece of a body as a chunk; for "" the last one.
[[nodiscard]] std::string format_http_chunk(std::string_view piece);

}  // namespace muster::net

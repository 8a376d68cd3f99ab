#include "net/http_codec.h"

#include "base/ascii.h"
#include "base/check.h"

#include <boost/asio/buffers_iterator.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

/// For a response: servers are ours or the cluster's, and send more.
constexpr size_t kResponseHeadMax = size_t{64} << 10;
/// For the line before a chunk, and for what follows the last one.
constexpr size_t kChunkLineMax = size_t{4} << 10;

std::string_view view(string_view text) { return {text.data(), text.size()}; }

/// Assembles one message from the events of Beast's parser, within limits of our own: Beast counts
/// neither the headers nor all of their bytes together.
template <bool is_request>
class MessageParser final : public http::basic_parser<is_request> {
 public:
  explicit MessageParser(size_t head_max) : head_max_(head_max) {
    this->eager(true);
    this->header_limit(static_cast<std::uint32_t>(head_max));
    this->body_limit(boost::none);  // A request's is checked below, the others by readers.
  }

  HttpRequest request;
  HttpResponseHead response;
  std::string body;     ///< What has arrived and has not been taken.
  size_t body_max = 0;  ///< The limit on what is kept; 0: none.
  const HttpRequestReader::BodyMax* body_max_of_head = nullptr;  ///< Determines `body_max`, if set.
  std::string_view flaw;                                         ///< Why we stopped it, if we did.

 private:
  void on_request_impl(http::verb verb, string_view method, string_view target, int version,
                       error_code& error) override {
    (void)verb;
    request.method = view(method);
    request.target = view(target);
    request.reads_chunks = version >= 11;
    if (!request.target.starts_with('/')) {
      error = http::error::bad_target;
    }
  }

  void on_response_impl(int code, string_view reason, int version, error_code& error) override {
    (void)reason;
    (void)version;
    response.status = code;
    if (code < 100) {
      error = http::error::bad_status;
    }
  }

  void on_field_impl(http::field field, string_view name, string_view value,
                     error_code& error) override {
    (void)field;
    head_bytes_ += name.size() + value.size();
    HttpHeaders& headers = is_request ? request.headers : response.headers;
    if (head_bytes_ > head_max_ || headers.size() >= kHttpHeadersMax) {
      error = http::error::header_limit;
      return;
    }
    if (!head_done_) {  // Nobody needs the fields after the last chunk.
      headers.emplace_back(ascii_lower(std::string(view(name))), view(value));
    }
  }

  void on_header_impl(error_code& error) override {
    head_done_ = true;
    // Only chunks are supported: any other coding could not be read.
    const HttpHeaders& headers = is_request ? request.headers : response.headers;
    const std::string coding = ascii_lower(std::string(find_header(headers, "transfer-encoding")));
    // Old servers say explicitly that they use no coding.
    const bool none = coding.empty() || (!is_request && coding == "identity");
    const bool odd_coding = !none && (!this->chunked() || coding != "chunked");
    const auto length = this->content_length();
    if (body_max_of_head != nullptr && *body_max_of_head &&
        (this->chunked() || length.value_or(0) > 0)) {
      body_max = (*body_max_of_head)(request);
    }
    if (odd_coding) {
      flaw = "bad transfer encoding";
      error = http::error::bad_transfer_encoding;
    } else if (body_max > 0 && length.has_value() && *length > body_max) {
      error = http::error::body_limit;
    }
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& error) override {
    (void)length;
    error = {};
  }

  std::size_t on_body_impl(string_view piece, error_code& error) override {
    if (body_max > 0 && body.size() + piece.size() > body_max) {
      error = http::error::body_limit;
      return 0;
    }
    body += view(piece);
    return piece.size();
  }

  void on_chunk_header_impl(std::uint64_t size, string_view extension, error_code& error) override {
    (void)size;
    (void)extension;
    error = {};
  }

  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view piece,
                                 error_code& error) override {
    (void)remain;
    return on_body_impl(piece, error);
  }

  void on_finish_impl(error_code& error) override { error = {}; }

  size_t head_max_;
  size_t head_bytes_ = 0;
  bool head_done_ = false;
};

std::string_view words_of(const error_code& error) {
  const auto is = [&error](http::error code) { return error == http::make_error_code(code); };
  if (is(http::error::header_limit)) {
    return "header too long";
  }
  if (is(http::error::body_limit)) {
    return "body too long";
  }
  if (is(http::error::bad_method) || is(http::error::bad_target)) {
    return "bad request line";
  }
  if (is(http::error::bad_version)) {
    return "it does not begin with HTTP/1";
  }
  if (is(http::error::bad_status) || is(http::error::bad_reason)) {
    return "bad status line";
  }
  if (is(http::error::bad_content_length) || is(http::error::multiple_content_length)) {
    return "bad content length";
  }
  if (is(http::error::bad_transfer_encoding)) {
    return "bad transfer encoding";
  }
  if (is(http::error::bad_chunk) || is(http::error::bad_chunk_extension)) {
    return "bad chunk";
  }
  return "bad header";
}

/// Feeds a parser with the bytes of a connection, which it takes line by line, and keeps the rest.
template <bool is_request>
struct Feeding {
  using Parser = MessageParser<is_request>;

  explicit Feeding(size_t most, HttpRequestReader::BodyMax body_most = nullptr)
      : head_max(most), body_max_of_head(std::move(body_most)) {
    renew();
  }
  Feeding(const Feeding&) = delete;
  Feeding& operator=(const Feeding&) = delete;

  void renew() {
    parser.emplace(head_max);
    parser->body_max_of_head = &body_max_of_head;
    message_bytes = 0;
  }

  void feed(std::string_view bytes) {
    pending.erase(0, at);
    at = 0;
    pending += bytes;
  }

  /// Parses what is there, up to the end of one message. Returns what is wrong, or "".
  std::string_view parse() {
    while (at < pending.size() && !parser->is_done()) {
      error_code error;
      const size_t taken =
          parser->put(boost::asio::buffer(pending.data() + at, pending.size() - at), error);
      at += taken;
      message_bytes += taken;
      if (error && error != http::make_error_code(http::error::need_more)) {
        return parser->flaw.empty() ? words_of(error) : parser->flaw;
      }
      // One-byte chunks with long lines before them are small in the body but large on the way.
      const size_t body_max = parser->body_max;
      if (body_max > 0 && message_bytes > head_max + (4 * body_max)) {
        return "body too long";
      }
      if (error) {
        const size_t line_max = parser->is_header_done() ? kChunkLineMax : head_max;
        return pending.size() - at > line_max ? "header too long" : "";
      }
    }
    return "";
  }

  std::string take_rest() {
    std::string rest = pending.substr(at);
    pending.clear();
    at = 0;
    return rest;
  }

  size_t head_max;
  HttpRequestReader::BodyMax body_max_of_head;  ///< The parser refers to it: it must not move.
  std::optional<Parser> parser;
  std::string pending;
  size_t at = 0;             ///< How much of `pending` has been parsed.
  size_t message_bytes = 0;  ///< How many bytes the message has taken so far.
};

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

struct HttpRequestReader::Impl {
  explicit Impl(BodyMax body_max) : feeding{kHttpHeadMax, std::move(body_max)} {}
  Feeding<true> feeding;
};

HttpRequestReader::HttpRequestReader(size_t body_max)
    : HttpRequestReader([body_max](const HttpRequest&) { return body_max; }) {}
HttpRequestReader::HttpRequestReader(BodyMax body_max)
    : impl_(std::make_unique<Impl>(std::move(body_max))) {}
HttpRequestReader::~HttpRequestReader() = default;
HttpRequestReader::HttpRequestReader(HttpRequestReader&&) noexcept = default;
HttpRequestReader& HttpRequestReader::operator=(HttpRequestReader&&) noexcept = default;

void HttpRequestReader::feed(std::string_view bytes) { impl_->feeding.feed(bytes); }

Result<std::optional<HttpRequest>> HttpRequestReader::next() {
  auto& feeding = impl_->feeding;
  if (const auto flaw = feeding.parse(); !flaw.empty()) {
    return Error{Errc::Corrupt, Blame::User, fmt::format("malformed HTTP request: {}", flaw)};
  }
  auto& parser = *feeding.parser;
  if (!parser.is_done()) {
    return std::optional<HttpRequest>();
  }
  HttpRequest request = std::move(parser.request);
  request.body = std::move(parser.body);
  request.keep_alive = parser.keep_alive();
  if (parser.upgrade()) {
    request.upgrade = request.header("upgrade");
  }
  feeding.renew();
  return std::optional(std::move(request));
}

std::string HttpRequestReader::take_rest() { return impl_->feeding.take_rest(); }

bool HttpRequestReader::has_rest() const {
  return impl_->feeding.at < impl_->feeding.pending.size();
}

struct HttpResponseReader::Impl {
  Feeding<false> feeding{kResponseHeadMax};
};

HttpResponseReader::HttpResponseReader() : impl_(std::make_unique<Impl>()) {}
HttpResponseReader::~HttpResponseReader() = default;
HttpResponseReader::HttpResponseReader(HttpResponseReader&&) noexcept = default;
HttpResponseReader& HttpResponseReader::operator=(HttpResponseReader&&) noexcept = default;

namespace {

Error malformed_response(std::string_view flaw) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Cluster,
          .message = fmt::format("malformed HTTP response: {}", flaw)};
}

}  // namespace

Status HttpResponseReader::feed(std::string_view bytes) {
  constexpr int kSwitchingProtocols = 101;
  auto& feeding = impl_->feeding;
  feeding.feed(bytes);
  while (true) {
    if (const auto flaw = feeding.parse(); !flaw.empty()) {
      return malformed_response(flaw);
    }
    const int status = feeding.parser->response.status;
    const bool interim = status < 200 && status != kSwitchingProtocols;
    if (!feeding.parser->is_done() || !interim) {
      return {};
    }
    feeding.renew();
  }
}

Status HttpResponseReader::end() {
  auto& parser = *impl_->feeding.parser;
  if (parser.is_done()) {
    return {};
  }
  error_code error = http::make_error_code(http::error::partial_message);
  if (parser.got_some()) {
    parser.put_eof(error);
  }
  return error ? Status(malformed_response("it ends before its time")) : Status();
}

bool HttpResponseReader::has_head() const { return impl_->feeding.parser->is_header_done(); }
bool HttpResponseReader::is_whole() const { return impl_->feeding.parser->is_done(); }
const HttpResponseHead& HttpResponseReader::head() const { return impl_->feeding.parser->response; }
std::string HttpResponseReader::take_body() {
  return std::exchange(impl_->feeding.parser->body, std::string());
}
std::string HttpResponseReader::take_rest() { return impl_->feeding.take_rest(); }

std::string format_http_head(const HttpResponse& response, Afterwards afterwards, Framing framing) {
  http::response<http::empty_body> head(static_cast<http::status>(response.status), 11);
  if (response.status == 101) {
    head.set(http::field::connection, "Upgrade");
  } else {
    if (!response.content_type.empty()) {
      head.set(http::field::content_type,
               is_one_line(response.content_type) ? response.content_type : "text/plain");
    }
    if (framing == Framing::Length && response.status != 204 && response.status != 304) {
      head.set(http::field::content_length, std::to_string(response.body.size()));
    } else if (framing == Framing::Chunks) {
      head.set(http::field::transfer_encoding, "chunked");
    }
    head.set(http::field::connection, afterwards == Afterwards::Keep ? "keep-alive" : "close");
    head.set(http::field::cache_control, "no-store");
    head.set("X-Content-Type-Options", "nosniff");
  }
  for (const auto& [name, value] : response.headers) {
    if (!is_one_line(name) || !is_one_line(value)) {
      continue;
    }
    if (ascii_lower(name) == "cache-control") {
      head.set(name, value);
    } else {
      head.insert(name, value);
    }
  }
  std::string text;
  http::response_serializer<http::empty_body> serializer(head);
  serializer.split(true);
  error_code error;
  serializer.next(error, [&text](error_code&, const auto& buffers) {
    text.append(boost::asio::buffers_begin(buffers), boost::asio::buffers_end(buffers));
  });
  MUSTER_CHECK(!error, "a head can be written");
  return text;
}

std::string format_http_response(const HttpResponse& response) {
  return format_http_head(response, Afterwards::Close, Framing::Length) + response.body;
}

std::string format_http_chunk(std::string_view piece) {
  const auto append = [](const auto& buffers) {
    return std::string(boost::asio::buffers_begin(buffers), boost::asio::buffers_end(buffers));
  };
  if (piece.empty()) {
    return append(http::make_chunk_last());
  }
  return append(http::make_chunk(boost::asio::buffer(piece.data(), piece.size())));
}

}  // namespace muster::net

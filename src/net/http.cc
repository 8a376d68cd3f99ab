#include "net/http.h"

#include "base/ascii.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::net {
namespace {

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    default:
      return status < 500 ? "Refused" : "Internal Server Error";
  }
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

Error malformed(std::string_view what) {
  return Error{Errc::Corrupt, Blame::User, fmt::format("no HTTP request: {}", what)};
}

Status parse_request_line(std::string_view line, HttpRequest& request) {
  const auto words = split(line, ' ');
  if (words.size() != 3 || !is_token(words[0]) || !words[1].starts_with('/') ||
      (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0")) {
    return malformed("its first line is wrong");
  }
  request.keep_alive = words[2] == "HTTP/1.1";
  request.method = words[0];
  request.target = words[1];
  return {};
}

Status parse_header(std::string_view line, HttpRequest& request) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return malformed("a header is wrong");
  }
  request.headers.emplace_back(ascii_lower(std::string(line.substr(0, colon))),
                               std::string(trim(line.substr(colon + 1))));
  return {};
}

Result<size_t> body_size(const HttpRequest& request) {
  if (!request.header("transfer-encoding").empty()) {
    return malformed("its body comes in chunks");
  }
  const auto lengths = std::ranges::count(request.headers, std::string("content-length"),
                                          &std::pair<std::string, std::string>::first);
  const std::string_view text = request.header("content-length");
  size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool good = error == std::errc() && end == text.data() + text.size();
  if (lengths > 1 || (lengths == 1 && !good)) {
    return malformed("its length is wrong");
  }
  if (size > kHttpBodyMax) {
    return malformed("its body is too long");
  }
  return size;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::optional<HttpRequest>> parse_http_request(std::string_view bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kHttpHeadMax) {
      return malformed("its head is too long");
    }
    return std::optional<HttpRequest>();
  }
  if (end > kHttpHeadMax) {
    return malformed("its head is too long");
  }
  HttpRequest request;
  std::string_view head = bytes.substr(0, end);
  const size_t first = head.find("\r\n");
  MUSTER_TRY_STATUS(parse_request_line(head.substr(0, first), request));
  head = first == std::string_view::npos ? std::string_view() : head.substr(first + 2);
  while (!head.empty()) {
    const size_t line = head.find("\r\n");
    MUSTER_TRY_STATUS(parse_header(head.substr(0, line), request));
    head = line == std::string_view::npos ? std::string_view() : head.substr(line + 2);
  }
  MUSTER_TRY(const size_t size, body_size(request));
  const std::string_view body = bytes.substr(end + 4);
  if (body.size() < size) {
    return std::optional<HttpRequest>();
  }
  request.body = body.substr(0, size);
  request.size_bytes = end + 4 + size;
  const std::string connection = ascii_lower(std::string(request.header("connection")));
  request.keep_alive = connection != "close" && (request.keep_alive || connection == "keep-alive");
  return std::optional(std::move(request));
}

std::string format_http_response(const HttpResponse& response, Afterwards afterwards) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n",
                  response.status, reason_phrase(response.status), response.content_type,
                  response.body.size(), afterwards == Afterwards::Keep ? "keep-alive" : "close");
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    text += fmt::format("{}: {}\r\n", name, value);
    cached = cached || ascii_lower(name) == "cache-control";
  }
  text += cached ? "" : "Cache-Control: no-store\r\n";
  return text + "X-Content-Type-Options: nosniff\r\n\r\n" + response.body;
}

}  // namespace muster::net

#include "net/http_client.h"

#include "base/ascii.h"
#include "base/text.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace muster::net {
namespace {

constexpr size_t kHeadMax = size_t{64} << 10;
constexpr std::string_view kLineEnd = "\r\n";

Error malformed(std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Cluster,
          .message = fmt::format("no HTTP reply: {}", what)};
}

template <class Number>
bool read_number(std::string_view text, Number& number, int base = 10) {
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end && !text.empty();
}

Status parse_status_line(std::string_view line, HttpReply& reply) {
  constexpr size_t kStatusAt = 9;
  constexpr size_t kStatusSize = 3;
  if (!line.starts_with("HTTP/1.") || line.size() < kStatusAt + kStatusSize ||
      !read_number(line.substr(kStatusAt, kStatusSize), reply.status)) {
    return malformed("its first line is wrong");
  }
  return {};
}

Status parse_headers(std::string_view head, HttpReply& reply) {
  const auto first = head.find(kLineEnd);
  MUSTER_TRY_STATUS(parse_status_line(head.substr(0, first), reply));
  while (first != std::string_view::npos && !head.empty()) {
    const auto end = head.find(kLineEnd);
    const auto line = head.substr(0, end);
    head = end == std::string_view::npos ? std::string_view() : head.substr(end + 2);
    const auto colon = line.find(':');
    if (line.starts_with("HTTP/1.")) {
      continue;
    }
    if (colon == std::string_view::npos) {
      return malformed("a header is wrong");
    }
    reply.headers.emplace_back(ascii_lower(std::string(line.substr(0, colon))),
                               trim(line.substr(colon + 1)));
  }
  return {};
}

// The body out of its chunks; nothing if the last has not come.
Result<std::optional<std::string>> join_chunks(std::string_view rest) {
  std::string body;
  while (true) {
    const auto end = rest.find(kLineEnd);
    if (end == std::string_view::npos) {
      return std::optional<std::string>();
    }
    auto size_text = rest.substr(0, end);
    size_text = size_text.substr(0, size_text.find(';'));
    size_t size = 0;
    if (!read_number(trim(size_text), size, 16) || size > kHttpReplyMax) {
      return malformed("a chunk's size is wrong");
    }
    rest.remove_prefix(end + 2);
    if (size == 0) {
      return std::optional(std::move(body));
    }
    if (rest.size() < size + 2) {
      return std::optional<std::string>();
    }
    body += rest.substr(0, size);
    rest.remove_prefix(size + 2);
  }
}

Result<std::optional<std::string>> body_of(const HttpReply& reply, std::string_view rest,
                                           bool ended) {
  if (reply.header("transfer-encoding") == "chunked") {
    return join_chunks(rest);
  }
  const auto length = reply.header("content-length");
  size_t size = 0;
  if (length.empty()) {
    return ended ? std::optional(std::string(rest)) : std::optional<std::string>();
  }
  if (!read_number(length, size) || size > kHttpReplyMax) {
    return malformed("its length is wrong");
  }
  if (rest.size() < size) {
    return std::optional<std::string>();
  }
  return std::optional(std::string(rest.substr(0, size)));
}

std::string bytes_of(const HttpQuestion& question) {
  auto text = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", question.target,
                          to_string(question.server));
  for (const auto& [name, value] : question.headers) {
    text += fmt::format("{}: {}\r\n", name, value);
  }
  return text + "\r\n";
}

rt::Async<Result<HttpReply>> exchange(Dialer* dialer, HttpQuestion question) {
  auto dialed = co_await dialer->dial(question.server);
  MUSTER_CO_TRY(const auto stream, std::move(dialed));
  const auto bytes = bytes_of(question);
  const std::span request(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  auto written = co_await stream->write(request);
  MUSTER_CO_TRY_STATUS(std::move(written));
  std::string received;
  std::array<uint8_t, 16384> buffer{};
  while (true) {
    auto read = co_await stream->read_some(buffer);
    MUSTER_CO_TRY(const size_t size, std::move(read));
    received.append(reinterpret_cast<const char*>(buffer.data()), size);
    MUSTER_CO_TRY(auto reply, parse_http_reply(received, size == 0));
    if (reply.has_value()) {
      co_return *std::move(reply);
    }
    if (size == 0) {
      co_return malformed(fmt::format("it ends after {} bytes", received.size()));
    }
    if (received.size() > kHttpReplyMax) {
      co_return malformed("it is too long");
    }
  }
}

}  // namespace

std::string_view HttpReply::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::optional<HttpReply>> parse_http_reply(std::string_view bytes, bool ended) {
  constexpr std::string_view kHttp = "HTTP/1.";
  const auto begin = bytes.substr(0, kHttp.size());
  if (begin != kHttp.substr(0, begin.size())) {
    return malformed("it begins otherwise");
  }
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() > kHeadMax) {
      return malformed("its head is too long");
    }
    return std::optional<HttpReply>();
  }
  HttpReply reply;
  MUSTER_TRY_STATUS(parse_headers(bytes.substr(0, end), reply));
  MUSTER_TRY(auto body, body_of(reply, bytes.substr(end + 4), ended));
  if (!body.has_value()) {
    return std::optional<HttpReply>();
  }
  reply.body = *std::move(body);
  return std::optional(std::move(reply));
}

rt::Async<Result<HttpReply>> http_get(rt::Loop* loop, Dialer* dialer, HttpQuestion question,
                                      HostTime deadline) {
  auto what = fmt::format("http://{}{} to answer", to_string(question.server), question.target);
  auto work = exchange(dialer, std::move(question));
  auto reply = co_await rt::with_deadline(*loop, deadline, std::move(what), std::move(work));
  co_return reply;
}

}  // namespace muster::net

#include "page/relay.h"

#include "base/ascii.h"
#include "base/text.h"
#include "net/http_client.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace muster::page {
namespace {

/// How long a program may take to begin its answer, and for each piece of it: it may have to start
/// a kernel or compute a model. No shorter than browsers wait.
constexpr std::chrono::minutes kAnswerPatience(5);
/// How long the other side of a WebSocket may leave what has arrived unread.
constexpr Duration kReaderPatience = std::chrono::seconds(30);
/// How long a WebSocket may be silent.
constexpr Duration kTunnelIdle = std::chrono::minutes(10);

constexpr std::array kAsked = {std::pair{"accept", "Accept"},
                               std::pair{"accept-encoding", "Accept-Encoding"},
                               std::pair{"accept-language", "Accept-Language"}};
constexpr std::array kUpgradeAsked = {
    std::pair{"sec-websocket-key", "Sec-WebSocket-Key"},
    std::pair{"sec-websocket-version", "Sec-WebSocket-Version"},
    std::pair{"sec-websocket-protocol", "Sec-WebSocket-Protocol"},
    std::pair{"sec-websocket-extensions", "Sec-WebSocket-Extensions"}};
constexpr std::array kUpgradeAnswered = {
    std::pair{"upgrade", "Upgrade"}, std::pair{"sec-websocket-accept", "Sec-WebSocket-Accept"},
    std::pair{"sec-websocket-protocol", "Sec-WebSocket-Protocol"},
    std::pair{"sec-websocket-extensions", "Sec-WebSocket-Extensions"}};
constexpr std::array kAnswered = {std::pair{"content-encoding", "Content-Encoding"},
                                  std::pair{"content-security-policy", "Content-Security-Policy"},
                                  std::pair{"cache-control", "Cache-Control"},
                                  std::pair{"vary", "Vary"}};

// Further headers, for programs that are told where they are.
constexpr std::array kAskedWhole = {std::pair{"content-type", "Content-Type"},
                                    std::pair{"if-none-match", "If-None-Match"},
                                    std::pair{"if-modified-since", "If-Modified-Since"},
                                    std::pair{"range", "Range"},
                                    std::pair{"origin", "Origin"},
                                    std::pair{"user-agent", "User-Agent"},
                                    std::pair{"authorization", "Authorization"},
                                    std::pair{"x-requested-with", "X-Requested-With"},
                                    std::pair{"x-xsrftoken", "X-XSRFToken"}};
constexpr std::array kAnsweredWhole = {
    std::pair{"etag", "ETag"}, std::pair{"last-modified", "Last-Modified"},
    std::pair{"content-range", "Content-Range"}, std::pair{"accept-ranges", "Accept-Ranges"},
    std::pair{"content-disposition", "Content-Disposition"}};

/// Cookies by which the page, or a cluster's proxy, recognises people; programs must not see them.
constexpr std::array<std::string_view, 2> kOwnCookies = {"muster-page", "proxy-user"};

/// Copies the headers of `from` that the table names, in the spelling to be sent.
void pass_on(const auto& table, const auto& from, net::HttpHeaders& to) {
  for (const auto& [name, sent] : table) {
    if (const std::string_view value = from.header(name); !value.empty()) {
      to.emplace_back(sent, value);
    }
  }
}

rt::Async<Status> write_all(net::Stream* to, std::string bytes) {
  const std::span sent(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  co_return co_await to->write(sent);
}

/// Copies from one side to the other until either has ended, then sets `over`.
rt::Async<> copy(rt::Loop* loop, net::Stream* from, net::Stream* to, std::string early,
                 rt::Event* over) {
  std::array<uint8_t, 16384> buffer{};
  std::string bytes = std::move(early);
  while (true) {
    auto writing = write_all(to, std::move(bytes));
    const auto written = co_await rt::with_deadline(*loop, loop->now() + kReaderPatience,
                                                    "a reader", std::move(writing));
    auto reading = from->read_some(buffer);
    const auto size = co_await rt::with_deadline(*loop, loop->now() + kTunnelIdle, "a message",
                                                 std::move(reading));
    if (!written.has_value() || !size.has_value() || *size == 0) {
      over->set();
      co_return;
    }
    bytes.assign(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(*size));
    co_await rt::next_turn(*loop);
  }
}

/// Connects a client with a program after both have left HTTP.
rt::Async<> tunnel(rt::Loop* loop, net::Stream* client, std::string early,
                   std::shared_ptr<net::HttpDownload> side) {
  rt::Event over(*loop);
  rt::Scope ways(*loop);
  std::string rest = side->take_rest();
  ways.spawn(copy(loop, client, &side->stream(), std::move(early), &over));
  ways.spawn(copy(loop, &side->stream(), client, std::move(rest), &over));
  co_await over.wait();
  client->close_write();
}

bool is_own_cookie(std::string_view cookie) {
  const std::string_view name = trim(cookie.substr(0, cookie.find('=')));
  return std::ranges::find(kOwnCookies, name) != kOwnCookies.end();
}

/// Returns the browser's cookies without our own.
std::string cookies_of(const net::HttpRequest& request) {
  std::string kept;
  std::string_view rest = request.header("cookie");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view cookie = trim(rest.substr(0, end));
    if (!cookie.empty() && !is_own_cookie(cookie)) {
      kept += fmt::format("{}{}", kept.empty() ? "" : "; ", cookie);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return kept;
}

/// Restricts a program's cookie to addresses below `prefix`; "" if the program may not set it.
std::string cookie_below(std::string_view cookie, std::string_view prefix) {
  if (is_own_cookie(cookie)) {
    return "";
  }
  std::string kept;
  while (!cookie.empty()) {
    const size_t end = std::min(cookie.find(';'), cookie.size());
    const std::string_view part = trim(cookie.substr(0, end));
    const std::string name = ascii_lower(std::string(part.substr(0, part.find('='))));
    if (!kept.empty() && (name == "path" || name == "domain")) {
      cookie.remove_prefix(std::min(end + 1, cookie.size()));
      continue;
    }
    kept += fmt::format("{}{}", kept.empty() ? "" : "; ", part);
    cookie.remove_prefix(std::min(end + 1, cookie.size()));
  }
  return fmt::format("{}; Path={}/", kept, prefix);
}

/// Returns where a redirect from the program leads, as seen by the browser.
std::string location_below(std::string_view location, std::string_view host,
                           std::string_view prefix) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (location.starts_with(scheme) && location.substr(scheme.size()).starts_with(host)) {
      const std::string_view rest = location.substr(scheme.size() + host.size());
      if (rest.empty() || rest.starts_with('/')) {
        location = rest.empty() ? "/" : rest;
        break;
      }
    }
  }
  const bool absolute = location.starts_with('/') && !location.starts_with("//");
  const bool below =
      location.starts_with(prefix) && location.substr(prefix.size()).starts_with('/');
  return absolute && !below ? fmt::format("{}{}", prefix, location) : std::string(location);
}

/// Adds what a program that is told where it is gets in addition.
void ask_whole(const RelayTarget& to, const net::HttpRequest& request,
               net::HttpClientRequest& question) {
  question.method = request.method;
  question.body = request.body;
  question.host = std::string(request.header("host"));
  pass_on(kAskedWhole, request, question.headers);
  if (std::string cookies = cookies_of(request); !cookies.empty()) {
    question.headers.emplace_back("Cookie", std::move(cookies));
  }
  question.headers.emplace_back("X-Forwarded-Prefix", to.prefix);
  question.headers.emplace_back("X-Forwarded-Proto", "http");
  question.headers.emplace_back("X-Forwarded-Host", question.host);
}

void answer_whole(const RelayTarget& to, const net::HttpRequest& request,
                  const net::HttpResponseHead& head, net::HttpResponse& response) {
  pass_on(kAnsweredWhole, head, response.headers);
  for (const auto& [name, value] : head.headers) {
    if (name == "location") {
      response.headers.emplace_back("Location",
                                    location_below(value, request.header("host"), to.prefix));
    } else if (name == "set-cookie") {
      if (std::string cookie = cookie_below(value, to.prefix); !cookie.empty()) {
        response.headers.emplace_back("Set-Cookie", std::move(cookie));
      }
    }
  }
}

net::HttpResponse no_answer(const std::string& name, bool late) {
  // The address may contain a path, which nobody should see.
  return {.status = late ? 504 : 502,
          .headers = {},
          .body = late ? fmt::format("504 Gateway Timeout: {} did not answer within {} min\n", name,
                                     kAnswerPatience.count())
                       : fmt::format("502 Bad Gateway: {} does not answer\n", name)};
}

}  // namespace

rt::Async<net::HttpResponse> relay(rt::Loop* loop, net::Dialer* dialer, RelayTarget to,
                                   const net::HttpRequest* request, std::string target) {
  const bool upgrades = ascii_lower(request->upgrade) == "websocket";
  net::HttpClientRequest question{.server = to.side.server,
                                  .target = to.side.path + target,
                                  .host = {},
                                  .headers = {},
                                  .body = {},
                                  .upgrade = upgrades};
  pass_on(kAsked, *request, question.headers);
  if (upgrades) {
    question.headers.emplace_back("Upgrade", "websocket");
    pass_on(kUpgradeAsked, *request, question.headers);
  }
  if (!to.prefix.empty()) {
    ask_whole(to, *request, question);
  }
  auto reply = co_await net::http_open(loop, dialer, std::move(question), kAnswerPatience);
  if (!reply.has_value() || ((*reply)->head().status == 101 && !upgrades)) {
    co_return no_answer(to.name,
                        !reply.has_value() && reply.error().code == Errc::DeadlineExceeded);
  }
  const net::HttpResponseHead& head = (*reply)->head();
  net::HttpResponse response{.status = head.status,
                             .content_type = std::string(head.header("content-type")),
                             .headers = {},
                             .body = {}};
  if (!to.prefix.empty()) {
    answer_whole(to, *request, head, response);
  }
  if (head.status == 101) {
    pass_on(kUpgradeAnswered, head, response.headers);
    response.upgraded = [loop, shared = std::shared_ptr(*std::move(reply))](net::Stream* client,
                                                                            std::string early) {
      return tunnel(loop, client, std::move(early), shared);
    };
    co_return response;
  }
  response.headers.emplace_back("Referrer-Policy",
                                to.prefix.empty() ? "no-referrer" : "same-origin");
  pass_on(kAnswered, head, response.headers);
  if (response.content_type.starts_with("text/event-stream")) {
    (*reply)->set_patience(kTunnelIdle);
    response.piece_patience = kTunnelIdle;
  }
  if ((*reply)->is_whole()) {
    auto body = co_await (*reply)->next();
    response.body = std::move(body).value_or(std::string());
  } else {
    response.pieces = *std::move(reply);
  }
  co_return response;
}

}  // namespace muster::page

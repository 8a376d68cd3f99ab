#include "page/relay.h"

#include "base/ascii.h"
#include "net/http_client.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <utility>

namespace muster::page {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
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

/// Copies the headers of `from` that the table names, as they are to be sent.
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

/// Copies what comes from one side to the other until either has ended, then sets `over`.
rt::Async<> copy(rt::Loop* loop, net::Stream* from, net::Stream* to, std::string early,
                 rt::Event* over) {
  std::array<uint8_t, 16384> buffer{};
  std::string bytes = std::move(early);
  while (true) {
    auto writing = write_all(to, std::move(bytes));
    const auto written =
        co_await rt::with_deadline(*loop, loop->now() + kPatience, "a reader", std::move(writing));
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

/// Connects a client to a program that has both left HTTP.
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

}  // namespace

rt::Async<net::HttpResponse> relay(rt::Loop* loop, net::Dialer* dialer, SideServer side,
                                   const net::HttpRequest* request, std::string target) {
  const bool upgrades = ascii_lower(request->upgrade) == "websocket";
  net::HttpClientRequest question{.server = std::move(side.server),
                                  .target = side.path + target,
                                  .headers = {},
                                  .upgrade = upgrades};
  pass_on(kAsked, *request, question.headers);
  if (upgrades) {
    question.headers.emplace_back("Upgrade", "websocket");
    pass_on(kUpgradeAsked, *request, question.headers);
  }
  auto reply = co_await net::http_open(loop, dialer, std::move(question), kPatience);
  if (!reply.has_value() || ((*reply)->head().status == 101 && !upgrades)) {
    // The address has the path in it, which is nobody's business.
    co_return net::HttpResponse{
        .status = 502, .headers = {}, .body = "502 Bad Gateway: TensorBoard does not answer\n"};
  }
  const net::HttpResponseHead& head = (*reply)->head();
  net::HttpResponse response{.status = head.status,
                             .content_type = std::string(head.header("content-type")),
                             .headers = {},
                             .body = {}};
  if (head.status == 101) {
    pass_on(kUpgradeAnswered, head, response.headers);
    response.upgraded = [loop, shared = std::shared_ptr(*std::move(reply))](net::Stream* client,
                                                                            std::string early) {
      return tunnel(loop, client, std::move(early), shared);
    };
    co_return response;
  }
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  pass_on(kAnswered, head, response.headers);
  if ((*reply)->is_whole()) {
    auto body = co_await (*reply)->next();
    response.body = std::move(body).value_or(std::string());
  } else {
    response.pieces = *std::move(reply);
  }
  co_return response;
}

}  // namespace muster::page

#include "net/web_listener.h"

#include "net/address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

rt::Async<HttpResponse> welcome(HttpRequest, std::string) {
  co_return HttpResponse{.headers = {}, .body = "welcome"};
}

/// A web server with few places, and clients on raw sockets.
class WebListenerTest : public ::testing::Test {
 protected:
  void listen(const WebListenerLimits& limits, size_t connections_max = 128) {
    server_ = std::make_unique<HttpServer>(loop_, welcome,
                                           HttpServerLimits{.connections_max = connections_max});
    listener_ = std::make_unique<WebListener>(
        WebListener::Deps{.loop = loop_, .server = *server_, .limits = limits},
        *listen_on({.host = "127.0.0.1"}));
  }
  rt::Fd connect(std::string_view said) {
    const auto to = parse_literal("127.0.0.1", listener_->port());
    rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd.get(), to->get(), to->size), 0);
    EXPECT_EQ(::send(fd.get(), said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
    return fd;
  }
  void run_until(const std::function<bool()>& done) {
    const HostTime limit = loop_.now() + 20s;
    while (!done() && loop_.now() < limit) {
      loop_.run_until(std::min(limit, loop_.now() + 1ms));
    }
    EXPECT_TRUE(done());
  }
  static bool is_closed(const rt::Fd& client) {
    char byte = 0;
    const ssize_t got = ::recv(client.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  std::string answer_to(const rt::Fd& client) {
    std::string answer;
    run_until([&] {
      std::array<char, 4096> buffer{};
      const ssize_t got = ::recv(client.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      answer.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
      return got == 0 || (got < 0 && errno != EAGAIN);
    });
    return answer;
  }

  rt::IoLoop loop_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<WebListener> listener_;
};

TEST_F(WebListenerTest, TheSilentKeepNobodyOut) {
  listen({.clients_max = 4, .patience = 1h, .idle_max = 1ms});
  std::vector<rt::Fd> silent;
  for (int count = 0; count < 40; ++count) {
    silent.push_back(connect(""));
  }
  EXPECT_TRUE(answer_to(connect(kAsk)).ends_with("welcome"));
  EXPECT_TRUE(is_closed(silent.front()));
  EXPECT_FALSE(is_closed(silent.back()));
}

TEST_F(WebListenerTest, WhoIsSilentForTooLongIsClosed) {
  listen({.patience = 10ms});
  const rt::Fd silent = connect("");
  run_until([&] { return is_closed(silent); });
}

TEST_F(WebListenerTest, WhoAsksWaitsUntilTheServerHasRoom) {
  listen({}, 1);
  const rt::Fd first = connect(kAsk);
  const rt::Fd second = connect(kAsk);
  EXPECT_TRUE(answer_to(first).ends_with("welcome"));
  EXPECT_TRUE(answer_to(second).ends_with("welcome"));
}

}  // namespace
}  // namespace muster::net

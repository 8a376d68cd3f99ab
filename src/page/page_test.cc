#include "page/page.h"

#include "page/token_access.h"
#include "testing/fake_loop.h"
#include "testing/memory_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <list>
#include <span>
#include <string>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

struct FakeJob final : JobView {
  [[nodiscard]] std::string status() const override { return text; }
  [[nodiscard]] bool ended() const override { return over; }
  [[nodiscard]] std::optional<uint32_t> attempts_of(std::string_view role,
                                                    uint32_t index) const override {
    return role == "worker" && index == 0 ? std::optional(2U) : std::nullopt;
  }
  [[nodiscard]] std::optional<SideServer> endpoint(std::string_view name) const override {
    return name == "dashboard" ? dashboard : std::nullopt;
  }
  [[nodiscard]] std::optional<SideServer> tensorboard() const override { return board; }
  [[nodiscard]] bool runs(const LogName& log) const override { return log.attempt == 2 && !over; }

  std::string text = R"({"phase":"running"})";
  bool over = false;
  std::optional<SideServer> board;
  std::optional<SideServer> dashboard;
};

struct FakeLogs final : LogSource {
  rt::Async<Result<LogPiece>> read(LogName log, std::optional<uint64_t> from) override {
    asked = log;
    if (text.empty()) {
      co_return Error{Errc::NotFound, Blame::User, "no such log"};
    }
    const uint64_t begin = std::min<uint64_t>(from.value_or(0), text.size());
    co_return LogPiece{.from = begin, .bytes = text.substr(begin), .next = text.size()};
  }

  std::string text;
  LogName asked;
};

class PageTest : public ::testing::Test {
 protected:
  struct Client {
    std::unique_ptr<net::Stream> stream;
    std::string got;
    rt::Running running;
  };

  // Sends a request on a connection of its own; the answer is in `got` once it has come.
  Client& ask(const std::string& request_line, const std::string& rest = "\r\n") {
    auto [mine, its] = testing::memory_streams(loop, "127.0.0.1:1", "127.0.0.1:2");
    Client& client = clients.emplace_back();
    client.stream = std::move(mine);
    client.running = rt::start(loop, talk(&client, request_line + " HTTP/1.1\r\n" + rest), [] {});
    page.serve(std::move(its));
    loop.run_ready();
    return client;
  }
  static rt::Async<> talk(Client* client, std::string text) {
    const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    (void)co_await client->stream->write(bytes);
    std::array<uint8_t, 4096> buffer{};
    size_t size = 1;
    while (size > 0) {
      size = (co_await client->stream->read_some(buffer)).value_or(0);
      client->got.append(reinterpret_cast<const char*>(buffer.data()), size);
    }
  }
  static int status_of(const Client& client) {
    return client.got.size() > 12 ? std::stoi(client.got.substr(9, 3)) : 0;
  }
  static std::string body_of(const Client& client) {
    const size_t end = client.got.find("\r\n\r\n");
    return end == std::string::npos ? "" : client.got.substr(end + 4);
  }
  Client& look(const std::string& target) { return ask("GET /v/path/" + target, kCookie); }

  const std::string kCookie = "Cookie: other=1; muster-page=cookie\r\n\r\n";
  testing::FakeLoop loop;
  FakeJob job;
  FakeLogs logs;
  TokenAccess access{TokenKeys{.token = "token", .cookie = "cookie", .path = "path"}};
  testing::MemoryNet network{loop};
  Page page{Page::Deps{.loop = loop,
                       .job = job,
                       .logs = logs,
                       .access = access,
                       .dialer = network,
                       .tasks = &network,
                       .host_names = {"gateway.example.org"}}};
  std::list<Client> clients;
};

TEST_F(PageTest, TheFrontIsForAllAndTheJobIsNot) {
  EXPECT_EQ(status_of(ask("GET /")), 200);
  EXPECT_EQ(status_of(ask("GET /app.js")), 200);
  EXPECT_EQ(status_of(ask("GET /v/path/app.js")), 200);
  for (const char* target : {"/api/status", "/v/path/api/status", "/v/other/api/status",
                             "/api/changes", "/logs/worker/0", "/front.h", "/../x", "//"}) {
    EXPECT_EQ(body_of(ask(std::string("GET ") + target)), "401 Unauthorized\n") << target;
  }
  EXPECT_EQ(status_of(ask("GET /api/status", kCookie)), 401);
  EXPECT_EQ(status_of(ask("GET /v/path/api/status", "Cookie: muster-page=cookiE\r\n\r\n")), 401);
}

TEST_F(PageTest, ANameOfSomebodyElseIsRefused) {
  const auto asked_as = [this](const std::string& host) {
    return status_of(ask("GET /v/path/api/status", "Host: " + host + "\r\n" + kCookie));
  };
  EXPECT_EQ(asked_as("127.0.0.1:41234"), 200);
  EXPECT_EQ(asked_as("gateway.example.org:41234"), 200);
  EXPECT_EQ(asked_as("rebound.example:41234"), 421);
  EXPECT_EQ(status_of(ask("GET /", "Host: rebound.example\r\n\r\n")), 421);
  EXPECT_EQ(status_of(ask("POST /api/session",
                          "Host: rebound.example\r\nX-Forwarded-Host: "
                          "localhost\r\nContent-Length: 5\r\n\r\ntoken")),
            421);
  job.board = SideServer{.server = {.host = "h1", .port = 6006}, .path = "/secret"};
  EXPECT_EQ(status_of(ask("GET /v/path/tensorboard/", "Host: rebound.example\r\n" + kCookie)), 421);
}

TEST_F(PageTest, ThePolicyForbidsFramesAndScriptsOfOthers) {
  const std::string got = ask("GET /").got;
  for (const char* rule : {"frame-ancestors 'none'", "script-src 'self'", "base-uri 'none'",
                           "form-action 'none'", "Referrer-Policy: no-referrer\r\n"}) {
    EXPECT_NE(got.find(rule), std::string::npos) << rule;
  }
}

TEST_F(PageTest, OutputIsServedAsText) {
  logs.text = "<script>alert(1)</script>\n";
  const Client& shown = look("logs/worker/0");
  EXPECT_EQ(body_of(shown), logs.text);
  EXPECT_NE(shown.got.find("Content-Type: text/plain; charset=utf-8\r\n"), std::string::npos);
  EXPECT_NE(shown.got.find("Content-Security-Policy: default-src 'none'; sandbox\r\n"),
            std::string::npos);
  EXPECT_NE(shown.got.find("X-Content-Type-Options: nosniff\r\n"), std::string::npos);
}

TEST_F(PageTest, ATokenIsExchangedForASession) {
  const auto post = [this](const std::string& token) -> Client& {
    return ask("POST /api/session",
               "Content-Length: " + std::to_string(token.size()) + "\r\n\r\n" + token);
  };
  EXPECT_EQ(status_of(post("tokem")), 401);
  EXPECT_EQ(status_of(post("")), 401);
  const Client& good = post("token");
  EXPECT_EQ(body_of(good), "{\"base\":\"v/path/\"}\n");
  EXPECT_NE(good.got.find("Set-Cookie: muster-page=cookie; Path=/v/path/; HttpOnly; "
                          "SameSite=Strict\r\n"),
            std::string::npos);
}

TEST_F(PageTest, OnlyReads) {
  EXPECT_EQ(status_of(look("api/status")), 200);
  EXPECT_EQ(status_of(ask("POST /v/path/api/status", kCookie)), 405);
  EXPECT_EQ(status_of(ask("DELETE /")), 405);
  EXPECT_EQ(status_of(look("nothing")), 404);
}

TEST_F(PageTest, ChangesAreToldWhenTheyHappen) {
  EXPECT_EQ(body_of(look("api/changes?after=0")),
            "{\"schema\":\"muster.changes/1\",\"version\":1,\"status\":{\"phase\":\"running\"}}\n");
  const Client& held = look("api/changes?after=1");
  EXPECT_FALSE(page.served());
  loop.advance(5s);
  EXPECT_EQ(held.got, "");
  job.text = "{}";
  page.changed();
  page.changed();
  loop.advance(100ms);
  EXPECT_EQ(body_of(held), "{\"schema\":\"muster.changes/1\",\"version\":3,\"status\":{}}\n");
  EXPECT_TRUE(page.served());
}

TEST_F(PageTest, WhereNothingHappensTheAnswerComesAllTheSame) {
  const Client& held = look("api/changes?after=1");
  loop.advance(19s);
  EXPECT_EQ(held.got, "");
  loop.advance(2s);
  EXPECT_NE(body_of(held).find("\"version\":1,"), std::string::npos);
}

TEST_F(PageTest, AtTheEndNobodyIsKeptWaiting) {
  const Client& changes = look("api/changes?after=1");
  logs.text = "x";
  const Client& log = look("api/log/worker/0?after=1");
  bool served = false;
  page.on_served([&] { served = true; });
  job.over = true;
  page.changed();
  loop.advance(100ms);
  EXPECT_EQ(status_of(changes), 200);
  EXPECT_NE(body_of(log).find("\"runs\":false"), std::string::npos);
  EXPECT_TRUE(served);
  EXPECT_EQ(status_of(look("api/changes?after=2")), 200);
}

TEST_F(PageTest, AViewerIsToldTheEndWhenHeAsksNext) {
  (void)look("api/changes?after=0&viewer=v1");
  EXPECT_FALSE(page.served());
  job.over = true;
  page.changed();
  EXPECT_FALSE(page.served());
  (void)look("api/changes?after=1&viewer=v1");
  EXPECT_TRUE(page.served());
}

TEST_F(PageTest, AViewerWhoHasLeftIsNotWaitedFor) {
  (void)look("api/changes?after=0&viewer=v1");
  loop.advance(6s);
  EXPECT_TRUE(page.served());
}

TEST_F(PageTest, ALogIsToldAsItGrows) {
  const Client& first = look("api/log/worker/0?stream=stderr");
  EXPECT_EQ(logs.asked, (LogName{.role = "worker", .index = 0, .attempt = 2, .is_err = true}));
  EXPECT_NE(body_of(first).find("\"next\":0,\"runs\":true,\"text\":\"\""), std::string::npos);
  const Client& held = look("api/log/worker/0?after=0");
  EXPECT_EQ(held.got, "");
  logs.text = "line\n";
  page.grown();
  loop.run_ready();
  EXPECT_NE(body_of(held).find("\"from\":0,\"next\":5,\"runs\":true,\"text\":\"line\\n\""),
            std::string::npos);
  EXPECT_EQ(body_of(look("logs/worker/0?attempt=1")), "line\n");
  EXPECT_EQ(logs.asked.attempt, 1U);
}

TEST_F(PageTest, TensorboardIsPassedOnToThoseWhoMaySeeTheJob) {
  EXPECT_EQ(status_of(look("tensorboard/")), 404);
  job.board = SideServer{.server = {.host = "h1", .port = 6006}, .path = "/secret"};
  EXPECT_EQ(status_of(ask("GET /tensorboard/")), 401);
  EXPECT_EQ(status_of(look("tensorboard/")), 502);  // Nobody listens.
  std::string asked;
  net::HttpServer board(
      loop, [&](net::HttpRequest request, std::string) -> rt::Async<net::HttpResponse> {
        asked = request.target + " " + std::string(request.header("accept-encoding")) + " " +
                std::string(request.header("cookie"));
        co_return net::HttpResponse{
            .content_type = "text/html",
            .headers = {{"Content-Encoding", "gzip"}, {"Set-Cookie", "a=b"}},
            .body = "curves"};
      });
  network.listen(job.board->server,
                 [&](std::unique_ptr<net::Stream> stream) { board.serve(std::move(stream)); });
  const Client& got =
      ask("GET /v/path/tensorboard/data/runs?x=%20y", "Accept-Encoding: gzip\r\n" + kCookie);
  EXPECT_EQ(body_of(got), "curves");
  EXPECT_EQ(asked, "/secret/data/runs?x=%20y gzip ");
  EXPECT_NE(got.got.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_EQ(got.got.find("Set-Cookie"), std::string::npos);
  EXPECT_NE(look("tensorboard").got.find("Location: tensorboard/\r\n"), std::string::npos);
}

TEST_F(PageTest, WhatATaskPublishedIsToldWhereItIs) {
  EXPECT_EQ(status_of(look("endpoints/dashboard/")), 404);
  job.dashboard = SideServer{.server = {.host = "worker-0", .port = 8265}, .path = ""};
  std::string asked;
  net::HttpServer board(
      loop, [&](net::HttpRequest request, std::string) -> rt::Async<net::HttpResponse> {
        asked = request.method + " " + request.target + " " + request.body;
        for (const char* name : {"host", "cookie", "x-forwarded-prefix"}) {
          asked += " " + std::string(request.header(name));
        }
        co_return net::HttpResponse{.status = 302,
                                    .headers = {{"Location", "/next"},
                                                {"Set-Cookie", "a=b; Path=/; Secure"},
                                                {"Set-Cookie", "muster-page=x"}},
                                    .body = "moved"};
      });
  network.listen(job.dashboard->server,
                 [&](std::unique_ptr<net::Stream> stream) { board.serve(std::move(stream)); });
  EXPECT_EQ(status_of(ask("POST /endpoints/dashboard/x")), 405);
  const Client& got = ask(
      "POST /v/path/endpoints/dashboard/x?y",
      "Host: localhost\r\nContent-Length: 4\r\nOrigin: http://localhost\r\n" + kCookie + "data");
  EXPECT_EQ(status_of(got), 302) << got.got;
  EXPECT_EQ(asked, "POST /x?y data localhost other=1 /v/path/endpoints/dashboard");
  EXPECT_NE(got.got.find("Location: /v/path/endpoints/dashboard/next\r\n"), std::string::npos);
  EXPECT_NE(got.got.find("Set-Cookie: a=b; Secure; Path=/v/path/endpoints/dashboard/\r\n"),
            std::string::npos);
  EXPECT_EQ(got.got.find("muster-page=x"), std::string::npos);
  EXPECT_EQ(status_of(ask("GET /v/path/endpoints/dashboard/",
                          "Host: localhost\r\nOrigin: http://elsewhere\r\n" + kCookie)),
            403);
}

TEST_F(PageTest, AWebSocketOfTensorboardIsPassedThrough) {
  job.board = SideServer{.server = {.host = "h1", .port = 6006}, .path = "/secret"};
  std::string asked;
  const auto serve = [](net::Stream* client, std::string) -> rt::Async<> {
    std::array<uint8_t, 64> buffer{};
    const auto size = co_await client->read_some(buffer);
    const auto text = "you said " + std::string(buffer.begin(), buffer.begin() + *size);
    const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    (void)co_await client->write(bytes);
  };
  net::HttpServer board(
      loop, [&](net::HttpRequest request, std::string) -> rt::Async<net::HttpResponse> {
        asked = request.upgrade + " " + std::string(request.header("sec-websocket-key"));
        co_return net::HttpResponse{
            .status = 101,
            .headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", "yes"}},
            .body = {},
            .upgraded = serve};
      });
  network.listen(job.board->server,
                 [&](std::unique_ptr<net::Stream> stream) { board.serve(std::move(stream)); });
  const Client& got = ask(
      "GET /v/path/tensorboard/ws",
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n" + kCookie + "hello");
  EXPECT_EQ(asked, "websocket k");
  EXPECT_TRUE(got.got.starts_with("HTTP/1.1 101 ")) << got.got;
  EXPECT_NE(got.got.find("Sec-WebSocket-Accept: yes\r\n"), std::string::npos);
  EXPECT_TRUE(got.got.ends_with("\r\n\r\nyou said hello")) << got.got;
}

TEST_F(PageTest, LogsOfNothingAreNotFound) {
  for (const char* target : {"logs/ps/0", "logs/worker/1", "logs/worker/x",
                             "logs/worker/0?attempt=3", "logs/worker/0?attempt=0", "logs/..%2f../0",
                             "api/log/worker/-1", "logs/worker/4294967296", "logs/worker/0/more"}) {
    EXPECT_EQ(status_of(look(target)), 404) << target;
  }
}

TEST(Target, IsTakenApart) {
  const Target target = parse_target("/a%20b//c%2?x=1&y=%41&z");
  EXPECT_EQ(target.parts, (std::vector<std::string>{"a b", "", "c%2"}));
  EXPECT_EQ(target.number("x"), 1U);
  EXPECT_EQ(target.value("y"), "A");
  EXPECT_EQ(target.number("y"), std::nullopt);
  EXPECT_EQ(target.value("z"), "");
  EXPECT_EQ(target.raw_query, "x=1&y=%41&z");
}

}  // namespace
}  // namespace muster::page

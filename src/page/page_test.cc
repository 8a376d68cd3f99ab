#include "page/page.h"

#include "page/token_access.h"
#include "rt/wait.h"
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
  [[nodiscard]] std::string description() const override { return R"({"user":"ada"})"; }
  [[nodiscard]] uint64_t event_count() const override { return happened.size(); }
  [[nodiscard]] Events events(uint64_t from, uint64_t count) const override {
    Events some{.json = {}, .next = std::min<uint64_t>(from, happened.size())};
    for (; some.next < happened.size() && count > 0; ++some.next, --count) {
      some.json += (some.json.empty() ? "" : ",") + happened[some.next];
    }
    return some;
  }
  [[nodiscard]] bool ended() const override { return over; }
  [[nodiscard]] bool stopping() const override { return stops && !over; }
  [[nodiscard]] std::optional<uint32_t> attempts_of(std::string_view role,
                                                    uint32_t index) const override {
    return role == "worker" && index == 0 ? std::optional(2U) : std::nullopt;
  }
  [[nodiscard]] std::optional<SideServer> endpoint(std::string_view name) const override {
    return name == "dashboard" ? dashboard : std::nullopt;
  }
  [[nodiscard]] std::optional<SideServer> tensorboard() const override { return board; }
  [[nodiscard]] bool runs(const LogName& log) const override { return log.attempt == 2 && !over; }

  [[nodiscard]] Result<std::string> metrics(const MetricsRequest& request) const override {
    asked = request;
    return request.tasks.size() > 2 ? Result<std::string>(user_error("too long"))
                                    : Result<std::string>("{}\n");
  }
  [[nodiscard]] Result<std::string> metric_names() const override { return std::string("[]\n"); }
  [[nodiscard]] std::string prometheus() const override { return "muster_task_x 1\n"; }

  mutable MetricsRequest asked;
  std::string text = R"({"phase":"running"})";
  std::vector<std::string> happened;
  bool stops = false;
  bool over = false;
  std::optional<SideServer> board;
  std::optional<SideServer> dashboard;
};

struct FakeLogs final : LogSource {
  rt::Async<Result<LogPiece>> read(LogName log, LogWanted wanted) override {
    asked = log;
    if (text.empty()) {
      co_return Error{Errc::NotFound, Blame::User, "no such log"};
    }
    const LogBounds bounds = bounds_of(wanted, 0, text.size());
    LogPiece piece{.from = bounds.from,
                   .bytes = text.substr(bounds.from, bounds.size),
                   .next = 0,
                   .begin = 0,
                   .end = text.size(),
                   .times = {{0, WallTime(1500ms)}, {6, WallTime(2s)}}};
    piece.next = piece.from + piece.bytes.size();
    co_return piece;
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

  // Sends a request on its own connection; the answer is in `got` once it has come.
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
  TokenAccess access{
      TokenKeys{.token = "token", .cookie = "cookie", .path = "path", .owner = "owner"}};
  testing::MemoryNet network{loop};
  std::vector<std::string> stopped_by;
  Page page{Page::Deps{.loop = loop,
                       .job = job,
                       .logs = logs,
                       .access = access,
                       .dialer = network,
                       .tasks = &network,
                       .host_names = {"gateway.example.org"},
                       .stop = [this](std::string by) { stopped_by.push_back(std::move(by)); }}};
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
  // A task's page can set a cookie of the same name for some of the addresses.
  EXPECT_EQ(status_of(ask("GET /v/path/api/status",
                          "Cookie: muster-page=other; muster-page=cookie\r\n\r\n")),
            200);
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
  for (const char* rule :
       {"frame-ancestors 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'none'",
        "Referrer-Policy: no-referrer\r\n", "Cross-Origin-Opener-Policy: same-origin\r\n"}) {
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

TEST_F(PageTest, WhoIsNotKnownSendsNoMoreThanAToken) {
  const std::string body = std::string(5000, 'a');
  const std::string framed = "Content-Length: 5000\r\n";
  EXPECT_EQ(status_of(ask("POST /api/session", framed + "\r\n")), 400);
  EXPECT_EQ(status_of(ask("POST /api/session", framed + "Cookie: muster-page=c\r\n\r\n")), 400);
  EXPECT_EQ(status_of(ask("POST /api/session", framed + "Authorization: Bearer t\r\n\r\n")), 400);
  for (const std::string& known : {kCookie, std::string("Authorization: Bearer token\r\n\r\n")}) {
    EXPECT_EQ(status_of(ask("POST /api/session", framed + known + body)), 401);
  }
}

TEST_F(PageTest, MetricsAreAskedForByTaskAndName) {
  EXPECT_EQ(
      body_of(look("api/metrics?task=worker:0&task=ps&name=user.a%20b&from=1700000000&step=10")),
      "{}\n");
  EXPECT_EQ(job.asked.tasks, (std::vector<std::string>{"worker:0", "ps"}));
  EXPECT_EQ(job.asked.names, std::vector<std::string>{"user.a b"});
  EXPECT_EQ(job.asked.from_s, 1'700'000'000);
  EXPECT_EQ(job.asked.step_s, 10U);
  EXPECT_EQ(body_of(look("api/metrics/names")), "[]\n");
  EXPECT_EQ(body_of(look("api/metrics?step=7")), "step must be 1, 10 or 60 seconds, not `7`\n");
  EXPECT_EQ(status_of(look("api/metrics?from=-1")), 400);
  EXPECT_EQ(status_of(look("api/metrics?task=a&task=b&task=c")), 400);
  EXPECT_EQ(status_of(look("api/metrics/other")), 404);
  EXPECT_EQ(status_of(ask("GET /api/metrics")), 401);
}

TEST_F(PageTest, PrometheusScrapesWithTheToken) {
  const Client& scraped = ask("GET /metrics", "Authorization: Bearer token\r\n\r\n");
  EXPECT_EQ(body_of(scraped), "muster_task_x 1\n");
  EXPECT_NE(scraped.got.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            std::string::npos);
  EXPECT_EQ(body_of(look("metrics")), "muster_task_x 1\n");
  EXPECT_EQ(status_of(ask("GET /metrics")), 401);
  EXPECT_EQ(status_of(ask("GET /metrics", "Authorization: Bearer tokem\r\n\r\n")), 401);
  EXPECT_EQ(status_of(ask("GET /metrics", "Authorization: Basic token\r\n\r\n")), 401);
}

TEST_F(PageTest, OnlyReads) {
  EXPECT_EQ(status_of(look("api/status")), 200);
  EXPECT_EQ(status_of(ask("POST /v/path/api/status", kCookie)), 405);
  EXPECT_EQ(status_of(ask("DELETE /")), 405);
  EXPECT_EQ(status_of(look("nothing")), 404);
}

TEST_F(PageTest, OnlyTheOwnersTokenStops) {
  const auto stop = [this](const std::string& path, const std::string& token,
                           const std::string& cookie = "Cookie: muster-page=cookie\r\n") {
    return status_of(ask("POST " + path, cookie + "Content-Length: " +
                                             std::to_string(token.size()) + "\r\n\r\n" + token));
  };
  EXPECT_EQ(stop("/v/path/api/stop", "token"), 403) << "a viewer's";
  EXPECT_EQ(stop("/v/path/api/stop", "cookie"), 403);
  EXPECT_EQ(stop("/v/path/api/stop", ""), 403);
  EXPECT_EQ(stop("/v/path/api/stop", "owner", ""), 401) << "without a session";
  EXPECT_EQ(stop("/api/stop", "owner"), 401);
  EXPECT_EQ(status_of(look("api/stop")), 404) << "reading does nothing";
  EXPECT_TRUE(stopped_by.empty());
  EXPECT_EQ(stop("/v/path/api/stop", "owner"), 200);
  EXPECT_EQ(stopped_by, (std::vector<std::string>{"the owner, on the job's page"}));
  job.over = true;
  EXPECT_EQ(stop("/v/path/api/stop", "owner"), 409);
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
  const Client& log = look("api/output?s=worker:0/2/stdout/1/1");
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

TEST_F(PageTest, WhoWaitsIsToldOfAStopTogetherWithTheEnd) {
  const Client& held = look("api/changes?after=1");
  job.stops = true;
  page.changed();
  loop.advance(200ms);
  EXPECT_EQ(held.got, "");
  job.text = R"({"phase":"ended"})";
  job.over = true;
  page.changed();
  loop.run_ready();
  EXPECT_NE(body_of(held).find(R"("status":{"phase":"ended"})"), std::string::npos);
}

TEST_F(PageTest, AStopThatTakesLongIsToldBeforeItIsOver) {
  const Client& held = look("api/changes?after=1");
  job.stops = true;
  job.text = R"({"phase":"stopping"})";
  page.changed();
  loop.advance(1s);
  EXPECT_NE(body_of(held).find(R"("status":{"phase":"stopping"})"), std::string::npos);
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

TEST_F(PageTest, OutputIsToldAsItGrows) {
  const Client& first = look("api/output?s=worker:0/2/stderr");
  EXPECT_EQ(logs.asked, (LogName{.role = "worker", .index = 0, .attempt = 2, .is_err = true}));
  EXPECT_NE(body_of(first).find(R"("next":0,"open":false,"lines":[])"), std::string::npos);
  const Client& held = look("api/output?s=worker:0/2/stdout/0/0&s=worker:0/2/stderr/0/0");
  EXPECT_EQ(held.got, "");
  logs.text = "line\n";
  page.grown();
  loop.run_ready();
  EXPECT_NE(body_of(held).find(R"("stream":"stdout","runs":true,"begin":0,"end":5,"from":0,)"
                               R"("next":5,"open":false,"lines":[[0,1500,"line"]]})"),
            std::string::npos)
      << body_of(held);
  EXPECT_NE(body_of(held).find(R"("stream":"stderr")"), std::string::npos);
  EXPECT_EQ(body_of(look("logs/worker/0?attempt=1")), "line\n");
  EXPECT_EQ(logs.asked.attempt, 1U);
}

TEST_F(PageTest, OutputIsReadFromAnywhere) {
  logs.text = "first\nsecond\nthird\n";
  const auto lines = [this](const std::string& where) {
    const std::string body = body_of(look("api/output?s=worker:0/2/stdout" + where));
    return body.substr(std::min(body.size(), body.find("\"lines\":") + 8));
  };
  EXPECT_EQ(lines("/6"), "[[6,2000,\"second\"],[13,2000,\"third\"]]}]}\n");
  EXPECT_EQ(lines("/-13"), "[[0,1500,\"first\"],[6,2000,\"second\"]]}]}\n");
  EXPECT_EQ(lines("/19"), "[]}]}\n");
  EXPECT_EQ(lines("/99"), lines("/0")) << "another log stood there before";
}

TEST_F(PageTest, WordsAreFoundInOutput) {
  logs.text = std::string(3U << 20, 'a') + "\nValueError: bad row\n" + std::string(99, 'b');
  const auto found = [this](const std::string& rest) {
    const std::string body = body_of(look("api/find?s=worker:0/2/stdout" + rest));
    return body.substr(std::min(body.size(), body.find("\"at\":")));
  };
  const std::string at = std::to_string((3U << 20) + 1);
  EXPECT_TRUE(found("/0&word=valueerror").starts_with("\"at\":" + at + ",")) << found("/0&word=e");
  EXPECT_TRUE(found("/0&word=never&word=Error:&word=VALUE").starts_with("\"at\":" + at + ","));
  EXPECT_TRUE(found("&word=ValueError").starts_with("\"at\":" + at + ",")) << "from the end";
  EXPECT_NE(found("/0&word=never").find("\"at\":null"), std::string::npos);
  EXPECT_NE(found("/0&word=never").find("\"over\":true"), std::string::npos);
  for (const char* wrong : {"", "&word=", "/0&s=worker:0/1/stdout&word=x"}) {
    EXPECT_EQ(status_of(look(std::string("api/find?s=worker:0/2/stdout") + wrong)), 404) << wrong;
  }
}

TEST_F(PageTest, WhatHappenedComesWithTheChanges) {
  job.happened = {R"({"n":0})", R"({"n":1})"};
  EXPECT_EQ(body_of(look("api/changes?after=0&events=1")),
            "{\"schema\":\"muster.changes/1\",\"version\":1,\"events\":[{\"n\":1}],\"next\":2,"
            "\"whole\":true,\"status\":{\"phase\":\"running\"}}\n");
  const Client& held = look("api/changes?after=1&events=2");
  EXPECT_EQ(held.got, "");
  job.happened.emplace_back(R"({"n":2})");
  page.changed();
  loop.advance(100ms);
  EXPECT_NE(body_of(held).find(R"("events":[{"n":2}],"next":3,)"), std::string::npos);
}

TEST_F(PageTest, AViewerIsToldEverythingBeforeTheMasterLeaves) {
  job.happened.assign(3000, "{}");
  (void)look("api/changes?after=0&events=0&viewer=v1");
  job.over = true;
  page.changed();
  (void)look("api/changes?after=1&events=0&viewer=v1");
  EXPECT_FALSE(page.served());
  (void)look("api/changes?after=2&events=2000&viewer=v1");
  EXPECT_TRUE(page.served());
}

TEST_F(PageTest, TellsWhatWasAskedFor) {
  EXPECT_EQ(body_of(look("api/job")), "{\"user\":\"ada\"}\n");
  EXPECT_EQ(status_of(ask("GET /api/job")), 401);
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

TEST_F(PageTest, AProgramMayTakeMinutesToAnswer) {
  job.board = SideServer{.server = {.host = "h1", .port = 6006}, .path = ""};
  net::HttpServer board(
      loop,
      [&](const net::HttpRequest& request, const std::string&) -> rt::Async<net::HttpResponse> {
        co_await rt::pause_for(loop, request.target == "/late" ? 4min : 6min);
        co_return net::HttpResponse{.headers = {}, .body = "computed"};
      });
  network.listen(job.board->server,
                 [&](std::unique_ptr<net::Stream> stream) { board.serve(std::move(stream)); });
  const Client& late = look("tensorboard/late");
  const Client& never = look("tensorboard/never");
  loop.advance(4min + 1s);
  EXPECT_EQ(body_of(late), "computed");
  EXPECT_EQ(never.got, "");
  loop.advance(1min);
  EXPECT_EQ(status_of(never), 504);
  EXPECT_NE(never.got.find("TensorBoard did not answer within 5 min"), std::string::npos)
      << never.got;
  network.drop(job.board->server);
  const Client& unreachable = look("tensorboard/");
  loop.advance(31s);
  EXPECT_EQ(status_of(unreachable), 502);
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

TEST_F(PageTest, WhatATaskPublishedDoesNotSeeTheTokenThatAdmitted) {
  job.dashboard = SideServer{.server = {.host = "worker-0", .port = 8265}, .path = ""};
  std::string asked;
  net::HttpServer board(
      loop, [&](net::HttpRequest request, std::string) -> rt::Async<net::HttpResponse> {
        asked = request.target + " " + std::string(request.header("authorization"));
        co_return net::HttpResponse{.headers = {}, .body = "shown"};
      });
  network.listen(job.dashboard->server,
                 [&](std::unique_ptr<net::Stream> stream) { board.serve(std::move(stream)); });
  const std::string token = "Authorization: Bearer token\r\n\r\n";
  EXPECT_EQ(status_of(ask("GET /endpoints/dashboard/x", token)), 200);
  EXPECT_EQ(asked, "/x ");
  // A token of the program's own is the program's business.
  EXPECT_EQ(status_of(ask("GET /v/path/endpoints/dashboard/y",
                          "Authorization: Bearer its-own\r\n" + kCookie)),
            200);
  EXPECT_EQ(asked, "/y Bearer its-own");
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
  for (const char* target :
       {"logs/ps/0", "logs/worker/1", "logs/worker/x", "logs/worker/0?attempt=3",
        "logs/worker/0?attempt=0", "logs/..%2f../0", "logs/worker/4294967296", "logs/worker/0/more",
        "api/output", "api/output?s=worker:0", "api/output?s=worker:0/3/stdout",
        "api/output?s=ps:0/1/stdout", "api/output?s=worker:-1/1/stdout",
        "api/output?s=worker:0/1/passwd", "api/output?s=worker:0/1/stdout/x",
        "api/output?s=worker:0/1/stdout/1/2/3", "api/find?s=../0/1/stdout"}) {
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

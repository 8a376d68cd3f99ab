#include "inside/rendezvous.h"

#include "net/http_client.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/run_to_end.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::inside {
namespace {

using ::testing::ElementsAre;

class Served : public ::testing::Test {
 protected:
  void serve(const std::string& view) {
    std::ofstream(view_) << view;
    net::Listening listening = net::listen_on({.host = "127.0.0.1"}).value();
    port_ = listening.port;
    rendezvous_ =
        std::make_unique<Rendezvous>(loop_, std::move(listening.fd), Peers(view_),
                                     [this](const std::string& host) { refused_.push_back(host); });
  }
  void TearDown() override {
    rendezvous_.reset();
    std::filesystem::remove(view_);
  }

  static std::string text_of(const std::string& method, const std::string& target,
                             const std::string& body) {
    return method + " " + target +
           " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  }
  /// Sends one request on its own connection, as Horovod's ranks do; returns the answer.
  std::string ask(const std::string& method, const std::string& target, const std::string& body) {
    return rt::run_to_end(loop_, converse({text_of(method, target, body)}));
  }
  rt::Async<std::unique_ptr<net::Stream>> dial() {
    net::TcpDialer dialer(loop_);
    net::HostPort server{"127.0.0.1", port_};
    auto stream = co_await dialer.dial(server);
    EXPECT_TRUE(stream.has_value());
    co_return *std::move(stream);
  }
  /// Writes the pieces of the request, each in a separate turn of the loop, and reads to the end.
  rt::Async<std::string> converse(std::vector<std::string> pieces) {
    const std::unique_ptr<net::Stream> stream = co_await dial();
    for (const std::string& piece : pieces) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(piece.data());
      const Status written = co_await stream->write({bytes, piece.size()});
      EXPECT_TRUE(written.has_value());
      co_await rt::pause_for(loop_, std::chrono::milliseconds(20));
    }
    std::string answer;
    std::vector<uint8_t> buffer(4096);
    while (true) {
      const auto got = co_await stream->read_some(buffer);
      if (!got.has_value() || *got == 0) {
        co_return answer;
      }
      answer.append(reinterpret_cast<const char*>(buffer.data()), *got);
    }
  }
  static std::string status_of(const std::string& answer) { return answer.substr(9, 3); }
  static std::string body_of(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }

  rt::IoLoop loop_;
  std::filesystem::path view_ = std::filesystem::path(::testing::TempDir()) /
                                ("rendezvous-view-" + std::to_string(::getpid()));
  uint16_t port_ = 0;
  std::vector<std::string> refused_;
  std::unique_ptr<Rendezvous> rendezvous_;
};

TEST_F(Served, KeepsWhatOneRankSaysForTheOthers) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "404");
  const std::string value = std::string(
                                "\0\xff"
                                "binary",
                                8) +
                            std::string(200'000, 'x');
  EXPECT_EQ(status_of(ask("PUT", "/global/0", value)), "200");
  const std::string answer = ask("GET", "/global/0", "");
  EXPECT_EQ(status_of(answer), "200");
  EXPECT_EQ(body_of(answer), value);
}

TEST_F(Served, RanksThatMeetAgainFindNothingOfTheLastTime) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  for (const char* rank : {"/global/0", "/global/rank_0", "/global/1", "/global/rank_1"}) {
    EXPECT_EQ(status_of(ask("PUT", rank, "an old address")), "200");
  }
  EXPECT_EQ(status_of(ask("DELETE", "/global/0", "")), "200");
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "200") << "the other may still want it";
  const std::string last = text_of("DELETE", "/global/1", "");
  EXPECT_EQ(status_of(rt::run_to_end(loop_, converse({last.substr(0, 9), last.substr(9)}))), "200");
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "404");
}

TEST_F(Served, AnswersWhoAsksBeforeTheValueIsThereAsSoonAsItIs) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  std::vector<rt::Async<std::string>> asked;
  asked.push_back(converse({text_of("GET", "/global/1", "")}));
  asked.push_back(converse({text_of("GET", "/global/2", "")}));
  asked.push_back(converse({text_of("GET", "/global/1", "")}));
  asked.push_back(converse({text_of("PUT", "/global/1", "here")}));
  const std::vector<std::string> answers = rt::run_to_end(loop_, rt::all(loop_, std::move(asked)));
  EXPECT_EQ(body_of(answers[0]), "here");
  EXPECT_EQ(status_of(answers[1]), "404") << "nobody has put that one";
  EXPECT_EQ(body_of(answers[2]), "here");
  EXPECT_EQ(status_of(answers[3]), "200");
}

TEST_F(Served, ReadsRequestsThatComeInPiecesAndSeveralOfOneConnection) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  const std::string put = text_of("PUT", "/global/0", "value");
  const std::string answer =
      rt::run_to_end(loop_, converse({put.substr(0, 9), put.substr(9, 40), put.substr(49)}));
  EXPECT_EQ(status_of(answer), "200");
  const std::string kept = "GET /global/0 HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string both =
      rt::run_to_end(loop_, converse({kept + text_of("GET", "/global/0", "")}));
  EXPECT_EQ(status_of(both), "200");
  EXPECT_EQ(status_of(both.substr(both.find("value") + 5)), "200");
}

TEST_F(Served, SendsAValueThatDoesNotGoOutInOnePiece) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  std::string value;
  while (value.size() < (size_t{4} << 20U) - 100) {
    value += "line " + std::to_string(value.size()) + "\n";
  }
  value.resize((size_t{4} << 20U) - 100);
  EXPECT_EQ(status_of(ask("PUT", "/global/0", value)), "200");
  std::vector<rt::Async<std::string>> asked;
  for (int reader = 0; reader < 3; ++reader) {
    asked.push_back(converse({text_of("GET", "/global/0", "")}));
  }
  for (const std::string& answer : rt::run_to_end(loop_, rt::all(loop_, std::move(asked)))) {
    EXPECT_EQ(status_of(answer), "200");
    EXPECT_TRUE(body_of(answer) == value) << answer.size();
  }
}

TEST_F(Served, RefusesWhatIsNoRequestOfIts) {
  serve(R"({"worker":["127.0.0.1:4000"]})");
  EXPECT_EQ(status_of(ask("GET", "/global", "")), "400");
  EXPECT_EQ(status_of(ask("GET", "/a/b/c", "")), "400");
  EXPECT_EQ(status_of(ask("POST", "/a/b", "")), "405");
  EXPECT_EQ(status_of(ask("PUT", "/a/" + std::string(300, 'k'), "")), "413");
}

TEST_F(Served, AnswersOnlyHostsOfTheJob) {
  serve(R"({"worker":["10.0.0.7:4000"]})");
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "403");
  EXPECT_EQ(status_of(ask("PUT", "/global/0", "x")), "403");
  EXPECT_THAT(refused_, ElementsAre("127.0.0.1")) << "said once";
}

TEST_F(Served, TakesNothingLargeFromOtherHosts) {
  serve(R"({"worker":["10.0.0.7:4000"]})");
  const std::string large = ask("PUT", "/global/0", std::string(100 << 10, 'x'));
  EXPECT_THAT(large, ::testing::HasSubstr("body too long"));
}

TEST_F(Served, GivesOtherHostsLittleRoom) {
  serve(R"({"worker":["10.0.0.7:4000"]})");
  std::vector<std::unique_ptr<net::Stream>> others;
  for (int count = 0; count < 20; ++count) {
    others.push_back(rt::run_to_end(loop_, dial()));
  }
  // The first to come had to make room.
  std::vector<uint8_t> buffer(1);
  auto read = others.front()->read_some(buffer);
  auto end = rt::run_to_end(loop_, rt::with_deadline(loop_, loop_.now() + std::chrono::seconds(20),
                                                     "the first's end", std::move(read)));
  EXPECT_EQ(end.value_or(1), 0U);
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "403");
}

}  // namespace
}  // namespace muster::inside

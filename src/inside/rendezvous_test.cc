#include "inside/rendezvous.h"

#include "net/http_client.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/run_to_end.h"
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

  /// One request by a connection of its own, as Horovod's ranks make them; returns the answer.
  std::string ask(const std::string& method, const std::string& target, const std::string& body) {
    const std::string request = method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
                                body;
    return rt::run_to_end(loop_, converse(request));
  }
  rt::Async<std::unique_ptr<net::Stream>> dial() {
    net::TcpDialer dialer(loop_);
    net::HostPort server{"127.0.0.1", port_};
    auto stream = co_await dialer.dial(server);
    EXPECT_TRUE(stream.has_value());
    co_return *std::move(stream);
  }
  rt::Async<std::string> converse(std::string request) {
    net::TcpDialer dialer(loop_);
    net::HostPort server{"127.0.0.1", port_};
    auto stream = co_await dialer.dial(server);
    EXPECT_TRUE(stream.has_value());
    const auto* const bytes = reinterpret_cast<const uint8_t*>(request.data());
    const Status written = co_await (*stream)->write({bytes, request.size()});
    EXPECT_TRUE(written.has_value());
    std::string answer;
    std::vector<uint8_t> buffer(4096);
    while (true) {
      const auto got = co_await (*stream)->read_some(buffer);
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
  EXPECT_EQ(status_of(ask("DELETE", "/global/0", "")), "200");
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "200") << "others may still want it";
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
  // Those who came first had to make room.
  std::vector<uint8_t> buffer(1);
  auto read = others.front()->read_some(buffer);
  auto end = rt::run_to_end(loop_, rt::with_deadline(loop_, loop_.now() + std::chrono::seconds(20),
                                                     "the first's end", std::move(read)));
  EXPECT_EQ(end.value_or(1), 0U);
  EXPECT_EQ(status_of(ask("GET", "/global/0", "")), "403");
}

}  // namespace
}  // namespace muster::inside

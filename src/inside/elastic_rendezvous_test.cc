#include "inside/elastic_rendezvous.h"

#include "inside/loop_fixture_test.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/run_to_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::inside {
namespace {

using ::testing::ElementsAre;

/// Ranks that speak for themselves, on one loop with the server that they ask.
class Elastic : public LoopFixture {
 protected:
  struct Member {
    std::unique_ptr<net::Stream> stream;
    rt::Running running;
    std::string got;
    bool ended = false;
  };

  void serve(const std::string& view) {
    std::filesystem::create_directories(view_.parent_path());
    write_view(view);
    net::Listening listening = net::listen_on({.host = "127.0.0.1"}).value();
    port_ = listening.port;
    rendezvous_ = std::make_unique<ElasticRendezvous>(
        loop_, std::move(listening.fd),
        ElasticRendezvous::Options{
            .role = "worker", .members_min = 1, .view_file = view_, .late = late_},
        [this](uint64_t, const std::vector<ElasticWorld::Index>& ranks) {
          rounds_.push_back(ranks);
        },
        [](const std::string&) {});
  }
  /// Replaces the file, as an agent does.
  void write_view(const std::string& view) {
    const std::filesystem::path fresh = view_.string() + ".new";
    std::ofstream(fresh) << view;
    std::filesystem::rename(fresh, view_);
  }
  void TearDown() override {
    rendezvous_.reset();
    std::filesystem::remove_all(view_.parent_path());
  }

  /// Sends a request on its own connection, which stays open.
  std::unique_ptr<Member> say(const std::string& request) {
    auto member = std::make_unique<Member>();
    member->running = rt::start(loop_, converse(member.get(), request), [] {});
    return member;
  }
  std::unique_ptr<Member> join(const std::string& name) {
    return say("GET /member/" + name +
               " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: muster-member\r\n\r\n");
  }
  std::unique_ptr<Member> ask(const std::string& target) {
    return say("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  rt::Async<> converse(Member* member, std::string request) {
    net::TcpDialer dialer(loop_);
    net::HostPort server{"127.0.0.1", port_};
    auto stream = co_await dialer.dial(server);
    EXPECT_TRUE(stream.has_value());
    member->stream = *std::move(stream);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(request.data());
    const Status written = co_await member->stream->write({bytes, request.size()});
    EXPECT_TRUE(written.has_value());
    std::array<uint8_t, 4096> buffer{};
    while (true) {
      const auto got = co_await member->stream->read_some(buffer);
      if (!got.has_value() || *got == 0) {
        member->ended = true;
        co_return;
      }
      member->got.append(reinterpret_cast<const char*>(buffer.data()), *got);
    }
  }
  static bool told(const Member& member, const std::string& end) {
    return member.got.ends_with("\r\n\r\n" + end);
  }

  std::filesystem::path view_ = std::filesystem::path(::testing::TempDir()) /
                                ("elastic-" + std::to_string(::getpid())) / "view";
  Duration late_ = std::chrono::seconds(60);
  uint16_t port_ = 0;
  std::vector<std::vector<ElasticWorld::Index>> rounds_;
  std::unique_ptr<ElasticRendezvous> rendezvous_;
};

constexpr const char* kTwo = R"({"worker":{"0":"127.0.0.1:4000","1":"127.0.0.1:4001"}})";

TEST_F(Elastic, TellsEachItsFirstPlaceWhenAllAreThere) {
  serve(kTwo);
  const auto second = join("1.1");
  until([&] { return second->got.starts_with("HTTP/1.1 101 "); });
  EXPECT_TRUE(rounds_.empty());
  const auto first = join("0.1");
  until([&] { return told(*first, "0 2\n") && told(*second, "1 2\n"); });
  EXPECT_THAT(rounds_, ElementsAre(ElementsAre(0, 1)));
}

TEST_F(Elastic, WaitsNoLongerForThoseWhoAreLate) {
  late_ = std::chrono::milliseconds(50);
  serve(kTwo);
  const auto first = join("0.1");
  until([&] { return told(*first, "0 1\n"); });
  EXPECT_THAT(rounds_, ElementsAre(ElementsAre(0)));
}

TEST_F(Elastic, SeesWhoIsAddedToTheView) {
  serve(R"({"worker":{"0":"127.0.0.1:4000"}})");
  write_view(kTwo);
  loop_.run_until(loop_.now() + std::chrono::milliseconds(20));
  const auto first = join("0.1");
  until([&] { return first->got.starts_with("HTTP/1.1 101 "); });
  EXPECT_TRUE(rounds_.empty()) << "the other one is on its way";
  const auto second = join("1.1");
  until([&] { return told(*first, "0 2\n") && told(*second, "1 2\n"); });
}

TEST_F(Elastic, WhoIsLeftGoesOnInAnEmptyStore) {
  serve(kTwo);
  auto first = join("0.1");
  const auto second = join("1.1");
  until([&] { return told(*second, "1 2\n"); });
  const auto put =
      say("PUT /global/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx");
  until([&] { return put->ended; });
  const auto place = ask("/rank_and_size/worker-1:0");
  first.reset();
  until([&] { return place->ended; });
  EXPECT_TRUE(told(*place, "0,1,0,1,0,1")) << place->got;
  const auto left = ask("/global/0");
  until([&] { return left->ended; });
  EXPECT_TRUE(left->got.starts_with("HTTP/1.1 404 ")) << left->got;
}

TEST_F(Elastic, HoldsWhoAsksForWhatALateRankHasNotSaid) {
  serve(kTwo);
  const auto asked = ask("/global/1");
  const auto put = say(
      "PUT /global/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere");
  until([&] { return asked->ended && put->ended; });
  EXPECT_TRUE(told(*asked, "here")) << asked->got;
}

TEST_F(Elastic, ToldOfANewcomerRankZeroComesToTheNextRound) {
  net::Listening desk = net::listen_on({.host = "127.0.0.1"}).value();
  serve(R"({"worker":{"0":"127.0.0.1:4000"}})");
  const auto first = join("0.1");
  until([&] { return told(*first, "0 1\n"); });
  // As Horovod does: ({}, key) with a port, in the fewest opcodes that can be read.
  std::string pickle = "\x80\x05M";
  pickle += static_cast<char>(desk.port & 0xffU);
  pickle += static_cast<char>(desk.port >> 8U);
  pickle += "C\x03key\x86.";
  std::string text;
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  ASSERT_EQ(pickle.size() % 3, 0U);
  for (size_t at = 0; at < pickle.size(); at += 3) {
    const uint32_t three = static_cast<uint32_t>(static_cast<uint8_t>(pickle[at])) << 16U |
                           static_cast<uint32_t>(static_cast<uint8_t>(pickle[at + 1])) << 8U |
                           static_cast<uint8_t>(pickle[at + 2]);
    for (const unsigned int shift : {18U, 12U, 6U, 0U}) {
      text += kDigits[three >> shift & 63U];
    }
  }
  const auto put = say("PUT /worker_addresses/worker-0:0 HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                       std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text);
  until([&] { return put->ended; });
  EXPECT_TRUE(put->got.starts_with("HTTP/1.1 200 ")) << put->got;
  write_view(kTwo);
  const auto second = join("1.1");
  std::unique_ptr<net::Stream> notice;
  until([&] {
    rt::Fd socket(::accept4(desk.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    notice = socket.valid() ? net::tcp_stream(loop_, std::move(socket)) : nullptr;
    return notice != nullptr;
  });
  std::string message(36, '\0');
  const Status read = rt::run_to_end(
      loop_, notice->read_exactly({reinterpret_cast<uint8_t*>(message.data()), message.size()}));
  EXPECT_TRUE(read.has_value());
  EXPECT_EQ(rounds_.size(), 1U) << "rank 0 still runs";
  const auto place = ask("/rank_and_size/worker-0:0");
  until([&] { return place->ended && told(*second, "1 2\n"); });
  EXPECT_TRUE(told(*place, "0,2,0,1,0,2")) << place->got;
}

TEST_F(Elastic, RefusesWhatIsNoTaskOfItsRole) {
  serve(kTwo);
  for (const char* target : {"/rank_and_size/worker:0", "/rank_and_size/chief-0:0",
                             "/rank_and_size/worker-x:0", "/rank_and_size"}) {
    const auto answer = ask(target);
    until([&] { return answer->ended; });
    EXPECT_TRUE(answer->got.starts_with("HTTP/1.1 400 ")) << target << answer->got;
  }
  const auto member = join("one");
  until([&] { return !member->got.empty(); });
  EXPECT_TRUE(member->got.starts_with("HTTP/1.1 400 ")) << member->got;
}

}  // namespace
}  // namespace muster::inside

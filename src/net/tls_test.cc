#include "net/tls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace muster::net {
namespace {

Psk key_of(uint8_t fill) {
  Psk key{};
  key.fill(fill);
  return key;
}

/// Two ends of a socket pair, driven in turns.
struct Pair {
  Pair(std::string identity, const Psk& key, std::string client_protocol = "test/1")
      : client_context(std::move(client_protocol)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    client = TlsStream::client(client_context, rt::Fd(ends[0]), std::move(identity), key);
    server = TlsStream::server(server_context, rt::Fd(ends[1]), lookup);
  }
  /// Returns how both handshakes ended: client, server.
  std::pair<TlsProgress, TlsProgress> shake_hands() {
    TlsProgress client_state = TlsProgress::WantsRead;
    TlsProgress server_state = TlsProgress::WantsRead;
    for (int turn = 0; turn < 10; ++turn) {
      if (client_state == TlsProgress::WantsRead) {
        client_state = client->handshake();
      }
      if (server_state == TlsProgress::WantsRead) {
        server_state = server->handshake();
      }
      if (server_state == TlsProgress::Failed && client_state == TlsProgress::Done) {
        std::array<char, 1> byte{};
        size_t got = 0;
        client_state = client->read(byte, got);
      }
    }
    return {client_state, server_state};
  }

  TlsContext server_context{"test/1"};
  TlsContext client_context;
  TlsContext::Lookup lookup = [](std::string_view identity) {
    return identity == "alice" ? std::optional(key_of(1)) : std::nullopt;
  };
  std::optional<TlsStream> client;
  std::optional<TlsStream> server;
};

TEST(Tls, BothSidesProveTheKeyAndSpeak) {
  Pair pair("alice", key_of(1));
  EXPECT_EQ(pair.shake_hands(), std::pair(TlsProgress::Done, TlsProgress::Done));
  EXPECT_EQ(pair.server->identity(), "alice");
  size_t count = 0;
  ASSERT_EQ(pair.client->write("hello", count), TlsProgress::Done);
  EXPECT_EQ(count, 5U);
  std::array<char, 100> buffer{};
  ASSERT_EQ(pair.server->read(buffer, count), TlsProgress::Done);
  EXPECT_EQ(std::string(buffer.data(), count), "hello");
  EXPECT_EQ(pair.server->read(buffer, count), TlsProgress::WantsRead);
  pair.client->say_end();
  EXPECT_EQ(pair.server->read(buffer, count), TlsProgress::Ended);
}

TEST(Tls, WrongKeyAndUnknownNameLookTheSameToTheStranger) {
  Pair wrong("alice", key_of(2));
  EXPECT_EQ(wrong.shake_hands(), std::pair(TlsProgress::Failed, TlsProgress::Failed));
  EXPECT_EQ(wrong.server->failure(), TlsFailure::WrongKey);
  EXPECT_EQ(wrong.client->failure(), TlsFailure::WrongKey);

  Pair unknown("mallory", key_of(1));
  EXPECT_EQ(unknown.shake_hands(), std::pair(TlsProgress::Failed, TlsProgress::Failed));
  EXPECT_EQ(unknown.server->failure(), TlsFailure::UnknownIdentity);
  EXPECT_EQ(unknown.client->failure(), TlsFailure::WrongKey);
}

/// Somebody in between records what the client says, and repeats it to the server.
TEST(Tls, ARecordedConnectionOpensNothing) {
  Pair pair("alice", key_of(1));
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  const rt::Fd client_side(ends[1]);
  auto client = TlsStream::client(pair.client_context, rt::Fd(ends[0]), "alice", key_of(1));
  const int server_side = pair.client->fd();
  std::string recorded;
  const auto pass = [](int from, int to, std::string* record) {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::recv(from, buffer.data(), buffer.size(), 0);
    if (size > 0) {
      EXPECT_EQ(::send(to, buffer.data(), static_cast<size_t>(size), 0), size);
      record->append(buffer.data(), static_cast<size_t>(size));
    }
  };
  bool done = false;
  for (int turn = 0; turn < 10 && !done; ++turn) {
    std::string answers;
    const bool one = client.handshake() == TlsProgress::Done;
    pass(client_side.get(), server_side, &recorded);
    done = pair.server->handshake() == TlsProgress::Done && one;
    pass(server_side, client_side.get(), &answers);
  }
  ASSERT_TRUE(done);
  size_t put = 0;
  ASSERT_EQ(client.write("stop", put), TlsProgress::Done);
  pass(client_side.get(), server_side, &recorded);

  Pair again("alice", key_of(1));
  ASSERT_EQ(::send(again.client->fd(), recorded.data(), recorded.size(), 0),
            static_cast<ssize_t>(recorded.size()));
  TlsProgress progress = TlsProgress::WantsRead;
  for (int turn = 0; turn < 5 && progress == TlsProgress::WantsRead; ++turn) {
    progress = again.server->handshake();
  }
  EXPECT_EQ(progress, TlsProgress::Failed);
}

TEST(Tls, OtherProtocolIsRefused) {
  Pair pair("alice", key_of(1), "other/9");
  EXPECT_EQ(pair.shake_hands(), std::pair(TlsProgress::Failed, TlsProgress::Failed));
  EXPECT_EQ(pair.server->failure(), TlsFailure::Protocol);
}

TEST(Tls, RandomBytesFail) {
  Pair pair("alice", key_of(1));
  const std::string noise = "\x16\x03\x01 is how it begins, but then it goes astray entirely.....";
  ASSERT_GT(::send(pair.client->fd(), noise.data(), noise.size(), 0), 0);
  TlsProgress progress = pair.server->handshake();
  if (progress == TlsProgress::WantsRead) {
    ::shutdown(pair.client->fd(), SHUT_WR);
    progress = pair.server->handshake();
  }
  EXPECT_EQ(progress, TlsProgress::Failed);
}

TEST(Tls, ConnectionThatBreaksIsAnErrorNotASignal) {
  Pair pair("alice", key_of(1));
  ASSERT_EQ(pair.shake_hands(), std::pair(TlsProgress::Done, TlsProgress::Done));
  pair.client.reset();
  std::array<char, 16> buffer{};
  size_t count = 0;
  EXPECT_EQ(pair.server->read(buffer, count), TlsProgress::Failed);
  EXPECT_EQ(pair.server->failure(), TlsFailure::Connection);
}

TEST(Tls, SlowReaderMakesTheWriterWaitAndNothingIsLost) {
  Pair pair("alice", key_of(1));
  ASSERT_EQ(pair.shake_hands(), std::pair(TlsProgress::Done, TlsProgress::Done));
  std::string sent;
  for (int number = 0; sent.size() < (4U << 20); ++number) {
    sent += std::to_string(number);
  }
  std::string got;
  std::string_view left = sent;
  bool waited = false;
  std::array<char, 10'000> buffer{};
  while (got.size() < sent.size()) {
    size_t count = 0;
    while (!left.empty() && pair.client->write(left, count) == TlsProgress::Done) {
      left.remove_prefix(count);
    }
    waited = waited || !left.empty();
    while (pair.server->read(buffer, count) == TlsProgress::Done) {
      got.append(buffer.data(), count);
    }
  }
  EXPECT_TRUE(waited);
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace muster::net

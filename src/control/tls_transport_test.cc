#include "control/tls_transport.h"

#include "control/connection.h"
#include "control/keys.h"
#include "control/tls_listener.h"
#include "net/address.h"
#include "net/socket.h"
#include "testing/no_descriptor_left.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace muster::control {
namespace {

using namespace std::chrono_literals;

Peer agent(const std::string& container) {
  return {.kind = Peer::Kind::Agent, .container = job::ContainerId(container)};
}
Peer owner() { return {.kind = Peer::Kind::Owner, .container = {}}; }

/// Keeps log lines, and counts them by their cause.
struct CountingSink final : log::Sink {
  void write(log::Level, std::string_view, std::initializer_list<log::Field> fields) override {
    ++causes[fields.begin()->value];
    std::string line;
    for (const log::Field& field : fields) {
      line += field.value + " ";
    }
    lines.push_back(line);
  }
  std::vector<std::string> lines;
  std::map<std::string, int> causes;
};

/// A master that knows c1, c2 and the owner, and the outcome for each peer that dialled it.
struct World {
  World() {
    secret.fill(7);
    listener = *transport->listen({}, keys, accepted);
  }

  /// Runs the loop until `done` returns true; fails after a while.
  void run_until(const std::function<bool()>& done) {
    const HostTime limit = loop.now() + 20s;
    while (!done() && loop.now() < limit) {
      loop.run_until(std::min(limit, loop.now() + 1ms));
    }
    EXPECT_TRUE(done());
  }
  void dial(const Peer& self, const Key& key, Duration deadline = 10s) {
    transport->dial(listener->address(), self, key, deadline, [this](auto channel) {
      if (channel.has_value()) {
        dialled.push_back(std::move(*channel));
      } else {
        errors.push_back(channel.error());
      }
    });
  }
  /// Dials as `self` and returns once both ends have their channel.
  void connect(const Peer& self) {
    const size_t before = accepted_channels.size();
    dial(self, derive_key(secret, self));
    run_until([&] { return accepted_channels.size() > before && dialled.size() > before; });
  }
  /// Connects a raw socket (blocking) to the listener.
  [[nodiscard]] rt::Fd raw() const {
    const auto address = net::parse_host_port(listener->address());
    const auto to = net::parse_literal(address->host, address->port);
    rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd.get(), to->get(), to->size), 0);
    return fd;
  }
  /// Sends `bytes` unauthenticated and returns whatever comes back until the end.
  std::string talk(std::string_view bytes) {
    const rt::Fd fd = raw();
    EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    std::string answer;
    bool ended = false;
    run_until([&] {
      std::array<char, 1000> buffer{};
      const ssize_t got = ::recv(fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      answer.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
      ended = got == 0 || (got < 0 && errno != EAGAIN);
      return ended;
    });
    return answer;
  }
  void replace_listener(const UnauthenticatedLimits& limits) {
    auto listening = net::listen_on({.host = "127.0.0.1"});
    const std::string address = "127.0.0.1:" + std::to_string(listening->port);
    listener = std::make_unique<TlsListener>(
        TlsListener::Deps{.loop = loop,
                          .tls = std::make_shared<net::TlsContext>("muster/1"),
                          .log = log::Logger(sink),
                          .page = {},
                          .limits = limits},
        std::move(*listening), address, keys, accepted);
  }

  rt::IoLoop loop;
  CountingSink sink;
  Secret secret{};
  PageHandler page = [this](rt::Fd socket) { page_sockets.push_back(std::move(socket)); };
  std::vector<rt::Fd> page_sockets;
  std::unique_ptr<Transport> transport = make_tls_transport(
      loop, log::Logger(sink), [this](rt::Fd socket) { page(std::move(socket)); });
  KeyLookup keys = [this](const Peer& peer) -> Result<Key> {
    if (peer == owner() || peer == agent("c1") || peer == agent("c2")) {
      return derive_key(secret, peer);
    }
    return Error{Errc::NotFound, Blame::User, "nobody"};
  };
  Transport::Accepted accepted = [this](std::unique_ptr<Channel> channel) {
    accepted_channels.push_back(std::move(channel));
  };
  std::unique_ptr<Listener> listener;
  std::vector<std::unique_ptr<Channel>> accepted_channels;
  std::vector<std::unique_ptr<Channel>> dialled;
  std::vector<Error> errors;
};

/// What arrived on one channel.
struct Inbox {
  explicit Inbox(Channel& channel) {
    channel.start({.frame = [this](std::string_view frame) { frames.emplace_back(frame); },
                   .closed =
                       [this](const Error& error) {
                         EXPECT_FALSE(closed.has_value());
                         closed = error;
                       }});
  }
  std::vector<std::string> frames;
  std::optional<Error> closed;
};

TEST(TlsTransport, ProvesBothPartiesAndCarriesFramesBothWays) {
  World world;
  world.connect(agent("c1"));
  Channel& near = *world.dialled.front();
  Channel& far = *world.accepted_channels.front();
  EXPECT_EQ(far.peer(), agent("c1"));
  EXPECT_EQ(near.peer().kind, Peer::Kind::Master);
  Inbox at_near(near);
  Inbox at_far(far);
  const std::string large(3'000'000, 'y');
  near.send("hello");
  near.send("");
  near.send(large);
  far.send_shared(std::make_shared<const std::string>("view"));
  EXPECT_GT(near.queued_bytes(), large.size());
  world.run_until([&] { return at_far.frames.size() == 3 && at_near.frames.size() == 1; });
  EXPECT_EQ(at_far.frames, (std::vector<std::string>{"hello", "", large}));
  EXPECT_EQ(at_near.frames.front(), "view");
  EXPECT_EQ(near.queued_bytes(), 0U);
}

TEST(TlsTransport, MasterDialsAnAgentUnderTheKeyBothDerive) {
  World world;
  const Key agent_key = derive_key(world.secret, agent("c1"));
  const Peer master{.kind = Peer::Kind::Master, .container = job::ContainerId("c1")};
  std::unique_ptr<Channel> far;
  const auto agents_ear = world.transport->listen(
      {},
      [&](const Peer& peer) -> Result<Key> {
        return peer == master ? Result<Key>(master_key_of(agent_key)) : user_error("nobody");
      },
      [&](auto channel) { far = std::move(channel); });
  std::unique_ptr<Channel> near;
  world.transport->dial((*agents_ear)->address(), master, derive_key(world.secret, master), 10s,
                        [&](auto channel) { near = std::move(*channel); });
  world.run_until([&] { return near != nullptr && far != nullptr; });
  EXPECT_EQ(near->peer(), agent("c1"));
  EXPECT_EQ(far->peer(), master);
}

/// An agent that takes one stream, and a master's port that leads there.
struct PassedWorld : World {
  PassedWorld() {
    listener =
        *transport->listen({.pass_on =
                                [this](const Peer& peer) {
                                  return peer == stream ? std::optional(there) : std::nullopt;
                                }},
                           keys, accepted);
  }
  [[nodiscard]] Result<Key> key_at_agent(const Peer& peer) const {
    return peer == stream ? Result<Key>(key) : user_error("nobody");
  }
  /// Dials the master's port.
  void dial_stream(const Peer& self, Duration deadline = 10s) { dial(self, key, deadline); }

  Peer stream{.kind = Peer::Kind::Stream,
              .container = job::ContainerId("c1"),
              .ticket = "0123456789abcdef0123456789abcdef"};
  Key key = stream_key_of(derive_key(secret, agent("c1")), stream.ticket);
  std::unique_ptr<Channel> far;
  std::unique_ptr<Listener> agents_ear = *transport->listen(
      {}, [this](const Peer& peer) { return key_at_agent(peer); },
      [this](auto channel) { far = std::move(channel); });
  std::string there = agents_ear->address();
};

TEST(PassedConnections, LeadToTheAgentBothWaysWhateverComes) {
  PassedWorld world;
  world.dial_stream(world.stream);
  world.run_until([&] { return world.far != nullptr && world.dialled.size() == 1; });
  EXPECT_TRUE(world.accepted_channels.empty()) << "it is none of the master's";
  EXPECT_EQ(world.dialled[0]->peer(), agent("c1"));
  EXPECT_EQ(world.far->peer(), world.stream);
  Inbox at_near(*world.dialled[0]);
  Inbox at_far(*world.far);
  std::vector<std::string> frames;  // Together more than the sockets hold.
  for (int number = 0; number < 300; ++number) {
    frames.push_back(std::to_string(number) + std::string(Connection::kClientFrameMax - 10, 'y'));
    world.dialled[0]->send(frames.back());
    world.far->send(frames.back());
  }
  world.run_until([&] {
    return at_near.frames.size() == frames.size() && at_far.frames.size() == frames.size();
  });
  EXPECT_TRUE(at_near.frames == frames);
  EXPECT_TRUE(at_far.frames == frames);
}

TEST(PassedConnections, EndWithEitherEndAndWithTheListener) {
  PassedWorld world;
  const auto begin = [&] {
    world.far.reset();
    world.dialled.clear();
    world.dial_stream(world.stream);
    world.run_until([&] { return world.far != nullptr && world.dialled.size() == 1; });
  };
  begin();
  {
    Inbox at_far(*world.far);
    world.dialled.clear();
    world.run_until([&] { return at_far.closed.has_value(); });
  }
  begin();
  {
    Inbox at_near(*world.dialled[0]);
    world.far.reset();
    world.run_until([&] { return at_near.closed.has_value(); });
  }
  begin();
  Inbox at_near(*world.dialled[0]);
  Inbox at_far(*world.far);
  world.listener.reset();
  world.run_until([&] { return at_near.closed.has_value() && at_far.closed.has_value(); });
}

TEST(PassedConnections, LeadNowhereWithoutATicketOrAnAgent) {
  PassedWorld world;
  Peer other = world.stream;
  other.ticket.back() = '0';
  world.dial_stream(other);
  world.run_until([&] { return world.errors.size() == 1; });
  EXPECT_EQ(world.sink.causes["unknown_identity"], 1);
  world.agents_ear.reset();  // Nobody listens there any more.
  world.dial_stream(world.stream);
  world.run_until([&] { return world.errors.size() == 2; });
  EXPECT_EQ(world.far, nullptr);
  world.there = "no address";
  world.dial_stream(world.stream);
  world.run_until([&] { return world.errors.size() == 3; });
  world.connect(owner());
}

TEST(PassedConnections, AreNoneWhereTheKeyIsWrong) {
  PassedWorld world;
  world.key.fill(1);
  const Key right = stream_key_of(derive_key(world.secret, agent("c1")), world.stream.ticket);
  ASSERT_NE(world.key, right);
  const Key wrong = std::exchange(world.key, right);
  world.dial(world.stream, wrong);
  world.run_until([&] { return world.errors.size() == 1; });
  EXPECT_EQ(world.errors[0].code, Errc::Unauthenticated);
  EXPECT_EQ(world.far, nullptr);
}

TEST(TlsTransport, RefusesWrongKeysAndSaysSoOnce) {
  World world;
  Key noise{};
  noise.fill(9);
  for (int round = 0; round < 3; ++round) {
    world.dial(owner(), noise);
    world.dial(agent("c1"), derive_key(world.secret, agent("c2")));  // Another container's key.
    world.dial(agent("c9"), derive_key(world.secret, agent("c9")));  // No longer part of this job.
  }
  world.run_until([&] { return world.errors.size() == 9; });
  for (const Error& error : world.errors) {
    EXPECT_EQ(error.code, Errc::Unauthenticated) << error.message;
  }
  EXPECT_TRUE(world.accepted_channels.empty());
  EXPECT_EQ(world.sink.causes,
            (std::map<std::string, int>{{"unknown_identity", 1}, {"wrong_key", 1}}));
}

TEST(TlsTransport, RandomBytesAndPortScansAreHarmless) {
  World world;
  EXPECT_EQ(world.talk("\x16garbage that is long enough to be no record at all......"), "");
  world.raw().reset();
  world.run_until([&] { return world.sink.causes["silent"] == 1; });
  world.replace_listener({});
  EXPECT_EQ(world.talk("\xff\xfe\x01 not http\r\n\r\n"), "");
  EXPECT_EQ(world.talk(std::string(20'000, 'A')), "");
  world.connect(owner());
}

TEST(TlsTransport, WhatIsNotTlsIsHandedToThePage) {
  World world;
  world.page = [](rt::Fd socket) {
    std::array<char, 16> text{};
    const ssize_t got = ::recv(socket.get(), text.data(), text.size(), 0);
    ::send(socket.get(), text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)), MSG_NOSIGNAL);
  };
  EXPECT_EQ(world.talk("GET / HTTP/1.1"), "GET / HTTP/1.1");
  EXPECT_EQ(static_cast<TlsListener&>(*world.listener).unauthenticated(), 0U);
}

TEST(TlsTransport, DefaultAnswerNamesNothingOfTheJob) {
  World world;
  world.replace_listener({});
  const std::string answer = world.talk("GET /anything HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n401 Unauthorized\n")) << answer;
}

// A thousand such bodies would take 80 MB.
TEST(TlsTransport, WhereThereIsNoPageNobodyWaitsForABody) {
  World world;
  world.replace_listener({});
  const std::string answer = world.talk("POST / HTTP/1.1\r\nContent-Length: 65536\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n401 Unauthorized\n")) << answer;
  EXPECT_EQ(world.talk("GET / HTTP/1.1\r\nX: " + std::string(5000, 'a')), "");
}

// Neither connections that say nothing nor those that begin a message and stop there.
TEST(TlsTransport, ThousandsOfHalfOpenConnectionsKeepNobodyOut) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  for (const std::string_view said :
       {std::string_view(), std::string_view("\x16\x03\x01\x01\x00", 5)}) {
    World world;
    world.replace_listener(
        {.peers_max = 100, .patience = std::chrono::minutes(1), .idle_max = 20ms});
    std::vector<rt::Fd> idle;
    for (int count = 0; count < 2000; ++count) {
      idle.push_back(world.raw());
      (void)::send(idle.back().get(), said.data(), said.size(), 0);
    }
    const HostTime begun = world.loop.now();
    world.connect(agent("c1"));
    EXPECT_LT(world.loop.now() - begun, 20s) << "it waited until one of them was given up";
    EXPECT_LE(static_cast<TlsListener&>(*world.listener).unauthenticated(), 100U);
  }
}

TEST(TlsTransport, HalfOfTheDescriptorsStayForOthers) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  World world;
  const rlimit few{.rlim_cur = 100, .rlim_max = files.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  world.replace_listener({.idle_max = 20ms});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  std::vector<rt::Fd> idle;
  for (int count = 0; count < 200; ++count) {
    idle.push_back(world.raw());
  }
  world.connect(agent("c1"));
  EXPECT_LE(static_cast<TlsListener&>(*world.listener).unauthenticated(), 50U);
}

TEST(TlsTransport, WhereNoDescriptorIsLeftTheIdleMakeRoom) {
  World world;
  world.replace_listener({.peers_max = 1000, .idle_max = 1ms});
  std::vector<rt::Fd> idle;
  for (int count = 0; count < 10; ++count) {
    idle.push_back(world.raw());
  }
  auto& listener = static_cast<TlsListener&>(*world.listener);
  world.run_until([&] { return listener.unauthenticated() == 10; });
  idle.push_back(world.raw());
  const testing::NoDescriptorLeft none;
  world.run_until([&] { return world.sink.causes.contains("crowded"); });
}

TEST(TlsTransport, AddressesOfThoseRefusedAreLoggedWithTheirCount) {
  World world;
  world.replace_listener({.audit_interval = 100ms});
  for (int count = 0; count < 9; ++count) {
    EXPECT_EQ(world.talk("\x16garbage that is long enough to be no record at all......"), "");
  }
  const auto told = [&] {
    int sum = 0;
    for (const std::string& line : world.sink.lines) {
      EXPECT_TRUE(line.starts_with("garbage 127.0.0.1 ")) << line;
      sum += std::stoi(line.substr(line.find("1 ") + 2));
    }
    return sum;
  };
  world.run_until([&] { return told() == 9; });
  EXPECT_LT(world.sink.lines.size(), 9U);
}

TEST(TlsTransport, SlowUnauthenticatedPeersAreShownTheDoor) {
  World world;
  world.replace_listener({.patience = 20ms});
  EXPECT_EQ(world.talk("\x16\x03"), "");
  EXPECT_EQ(world.talk("GET / HT"), "");
  EXPECT_EQ(world.talk(""), "");
  EXPECT_EQ(world.sink.causes, (std::map<std::string, int>{{"silent", 1}, {"slow", 1}}));
}

TEST(TlsTransport, SlowReaderIsSeenInQueuedBytesAndLosesNothing) {
  World world;
  world.connect(agent("c1"));
  Channel& writer = *world.accepted_channels.front();
  Inbox at_writer(writer);
  const auto piece = std::make_shared<const std::string>(100'000, 'z');
  constexpr size_t kPieces = 300;
  for (size_t count = 0; count < kPieces; ++count) {
    writer.send_shared(piece);
  }
  // The reader has not started: the kernel's buffers fill up, and the rest stays here.
  size_t before = 0;
  world.run_until([&] { return before == std::exchange(before, writer.queued_bytes()); });
  EXPECT_GT(writer.queued_bytes(), 1'000'000U);
  Inbox at_reader(*world.dialled.front());
  world.run_until([&] { return at_reader.frames.size() == kPieces; });
  EXPECT_EQ(writer.queued_bytes(), 0U);
}

TEST(TlsTransport, ClientsSendNoLargeFrames) {
  World world;
  world.connect(owner());
  world.connect(agent("c1"));
  Inbox of_owner(*world.accepted_channels[0]);
  Inbox of_agent(*world.accepted_channels[1]);
  world.dialled[0]->send(std::string(Connection::kClientFrameMax, 'x'));
  world.dialled[0]->send(std::string(Connection::kClientFrameMax + 1, 'x'));
  world.dialled[1]->send(std::string(kFrameMax, 'x'));
  world.run_until([&] { return of_owner.closed.has_value() && of_agent.frames.size() == 1; });
  EXPECT_EQ(of_owner.frames.size(), 1U);
  EXPECT_EQ(of_owner.closed->code, Errc::Corrupt);
  EXPECT_FALSE(of_agent.closed.has_value());
}

TEST(TlsTransport, AHalfFrameHasItsTime) {
  World world;
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  net::TlsContext context("muster/1");
  const net::TlsContext::Lookup lookup = [](std::string_view) { return std::optional<Key>(Key{}); };
  auto client = net::TlsStream::client(context, rt::Fd(ends[0]), "owner", Key{});
  auto server = net::TlsStream::server(context, rt::Fd(ends[1]), lookup);
  world.run_until([&] {
    const bool one = client.handshake() == net::TlsProgress::Done;
    return server.handshake() == net::TlsProgress::Done && one;
  });
  TlsChannel channel(std::make_shared<Connection>(world.loop, std::move(server), owner(), 20ms));
  Inbox inbox(channel);
  size_t put = 0;
  ASSERT_EQ(client.write(frame_header(3) + "all" + frame_header(100) + "some", put),
            net::TlsProgress::Done);
  world.run_until([&] { return inbox.closed.has_value(); });
  EXPECT_EQ(inbox.frames, std::vector<std::string>{"all"});
  EXPECT_EQ(inbox.closed->message, "owner left a message unfinished");
}

TEST(TlsTransport, CloseAndDestructionDeliverWhatIsQueued) {
  for (const bool destroy : {false, true}) {
    World world;
    world.connect(owner());
    Inbox at_near(*world.dialled.front());
    Inbox at_far(*world.accepted_channels.front());
    world.dialled.front()->send("unread");
    world.accepted_channels.front()->send(std::string(2'000'000, 'l'));
    world.accepted_channels.front()->send("last");
    if (destroy) {
      world.accepted_channels.clear();
    } else {
      world.accepted_channels.front()->close();
    }
    world.run_until([&] { return at_near.closed.has_value(); });
    ASSERT_EQ(at_near.frames.size(), 2U);
    EXPECT_EQ(at_near.frames.back(), "last");
    EXPECT_EQ(at_near.closed->code, Errc::Unavailable);
    if (!destroy) {
      world.run_until([&] { return at_far.closed.has_value(); });
      EXPECT_EQ(at_far.closed->code, Errc::Cancelled);
    }
  }
}

TEST(TlsTransport, CloseDoesNotWaitForAReaderThatNeverReads) {
  World world;
  world.connect(owner());
  Channel& writer = *world.accepted_channels.front();
  Inbox at_writer(writer);
  writer.send(std::string(kFrameMax, 'x'));
  writer.close();
  world.run_until([&] { return at_writer.closed.has_value(); });
}

TEST(TlsTransport, ChannelMayBeDestroyedInItsOwnCallbacks) {
  World world;
  world.connect(owner());
  bool called = false;
  world.accepted_channels.front()->start({.frame =
                                              [&](std::string_view) {
                                                EXPECT_FALSE(std::exchange(called, true));
                                                world.accepted_channels.clear();
                                              },
                                          .closed = [](const Error&) { FAIL(); }});
  Inbox at_near(*world.dialled.front());
  world.dialled.front()->send("one");
  world.dialled.front()->send("two");
  world.run_until([&] { return at_near.closed.has_value(); });
  EXPECT_TRUE(called);
}

TEST(TlsTransport, EndedChannelCostsNoTime) {
  World world;
  world.connect(owner());
  world.dialled.clear();
  world.loop.run_until(world.loop.now() + 10ms);  // The end arrives before the start.
  Inbox at_far(*world.accepted_channels.front());
  world.run_until([&] { return at_far.closed.has_value(); });
  const auto cpu_spent = [] {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const auto before = cpu_spent();
  world.loop.run_until(world.loop.now() + 50ms);
  EXPECT_LT(cpu_spent() - before, 10ms);
}

TEST(TlsTransport, DialTellsWhyItFailed) {
  World world;
  const std::string gone = world.listener->address();
  world.listener.reset();
  std::map<std::string, Errc> codes;
  const auto told = [&](std::string name) {
    return [&codes, key = std::move(name)](auto channel) { codes[key] = channel.error().code; };
  };
  const auto deaf = net::listen_on({.host = "127.0.0.1"});  // Accepts in the kernel, says nothing.
  const std::string deaf_address = "127.0.0.1:" + std::to_string(deaf->port);
  world.transport->dial(gone, owner(), {}, 10s, told("gone"));
  world.transport->dial("nonsense", owner(), {}, 10s, told("nonsense"));
  world.transport->dial(deaf_address, owner(), {}, 10ms, told("deaf"));
  EXPECT_TRUE(codes.empty());
  world.run_until([&] { return codes.size() == 3; });
  EXPECT_EQ(codes["gone"], Errc::Unavailable);
  EXPECT_EQ(codes["nonsense"], Errc::InvalidArgument);
  EXPECT_EQ(codes["deaf"], Errc::DeadlineExceeded);
}

TEST(TlsTransport, DestructionForgetsOpenDials) {
  World world;
  world.transport->dial(world.listener->address(), owner(), {}, 10s, [](auto) { FAIL(); });
  world.transport.reset();
  world.loop.run_until(world.loop.now() + 1ms);
}

}  // namespace
}  // namespace muster::control

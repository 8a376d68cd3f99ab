#include "client/reach/direct_channels.h"

#include "testing/fake_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A network behind a firewall that drops everything.
class DeafTransport final : public control::Transport {
 public:
  explicit DeafTransport(rt::Loop& loop) : loop_(loop) {}

  Result<std::unique_ptr<control::Listener>> listen(const control::ListenOptions&,
                                                    control::KeyLookup, Accepted) override {
    return bug("nobody listens here");
  }
  void dial(const std::string& address, const control::Peer&, const control::Key&,
            Duration deadline, Dialled dialled) override {
    dialled_.push_back(address);
    loop_.call_after(deadline, [dialled = std::move(dialled)] {
      dialled(cluster_error("no answer", Errc::DeadlineExceeded));
    });
  }
  /// Returns what was dialled since the last call.
  std::vector<std::string> take() { return std::exchange(dialled_, {}); }

 private:
  rt::Loop& loop_;
  std::vector<std::string> dialled_;
};

TEST(DirectChannels, TryARouteThatFailedAgainAfterAWhile) {
  ::muster::testing::FakeLoop loop;
  DeafTransport network(loop);
  std::vector<uint64_t> declined;
  DirectChannels channels(loop, network, false,
                          {.frame = [](const wire::StreamFrame&) {},
                           .declined = [&](uint64_t id) { declined.push_back(id); }});
  const wire::StreamOffer offer{
      .address = "agent:1", .container = job::ContainerId("c1"), .ticket = "t", .key = {}};
  channels.take(1, offer, "master:1");
  loop.advance(2s);
  EXPECT_THAT(network.take(), ElementsAre("agent:1", "master:1"));
  channels.take(2, offer, "master:1");
  loop.advance(2s);
  EXPECT_THAT(network.take(), IsEmpty());
  loop.advance(30s);
  channels.take(3, offer, "master:1");
  loop.advance(2s);
  EXPECT_THAT(network.take(), ElementsAre("agent:1", "master:1"));
  channels.forget_failures();
  channels.take(4, offer, "master:1");
  loop.advance(2s);
  EXPECT_THAT(network.take(), ElementsAre("agent:1", "master:1"));
  EXPECT_THAT(declined, ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace muster::client

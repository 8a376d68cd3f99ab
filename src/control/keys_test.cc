#include "control/keys.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace muster::control {
namespace {

Secret counting_secret() {
  Secret secret{};
  std::iota(secret.begin(), secret.end(), uint8_t{0});
  return secret;
}

Peer of(Peer::Kind kind, std::string container = "") {
  return {.kind = kind, .container = job::ContainerId(std::move(container))};
}

// Computed independently of this code, by RFC 5869's definition over HMAC-SHA256.
TEST(Keys, AreHkdfOfTheIdentity) {
  EXPECT_EQ(to_hex(derive_key(counting_secret(), of(Peer::Kind::Owner))),
            "de3d66b812cfc41ab9065a1e4c93f367e317bdaa8034eec7eba60d175b9570a4");
  EXPECT_EQ(to_hex(derive_key(counting_secret(), of(Peer::Kind::Agent, "c1"))),
            "8396a52453a78c6367ee963f8aec738085df676f27592cd03be73aee5649f908");
  EXPECT_EQ(to_hex(derive_key(counting_secret(), of(Peer::Kind::Master, "c1"))),
            "0b58744d2e460b9a4d8191b28c96ef21b2405199e4788e7b87be2424f2254289");
}

TEST(Keys, AgentAndMasterDeriveTheSame) {
  const Key agent_key = derive_key(counting_secret(), of(Peer::Kind::Agent, "c1"));
  EXPECT_EQ(master_key_of(agent_key), derive_key(counting_secret(), of(Peer::Kind::Master, "c1")));
  EXPECT_NE(agent_key, derive_key(counting_secret(), of(Peer::Kind::Agent, "c2")));
}

TEST(Keys, OfStreamsAreOfOneAgentAndOneTicket) {
  const Key agent_key = derive_key(counting_secret(), of(Peer::Kind::Agent, "c1"));
  const Key key = stream_key_of(agent_key, "00112233445566778899aabbccddeeff");
  EXPECT_EQ(to_hex(key), "ac40654ce536c45e7df91e0f5e72d3c460405690e27f07248fd7d5bbcb2301ef");
  EXPECT_NE(key, stream_key_of(agent_key, "00112233445566778899aabbccddeefe"));
  EXPECT_NE(key, stream_key_of(derive_key(counting_secret(), of(Peer::Kind::Agent, "c2")),
                               "00112233445566778899aabbccddeeff"));
}

TEST(Keys, HexIsStrict) {
  const Key key = counting_secret();
  EXPECT_EQ(parse_key(to_hex(key)), key);
  std::string upper = to_hex(key);
  upper[21] = 'A';
  EXPECT_FALSE(parse_key(upper).has_value());
  EXPECT_FALSE(parse_key(to_hex(key) + "0").has_value());
  EXPECT_FALSE(parse_key("").has_value());
}

TEST(Peer, IdentitiesRoundTripAndNothingElseParses) {
  for (const Peer& peer :
       {of(Peer::Kind::Owner), of(Peer::Kind::Viewer), of(Peer::Kind::Agent, "c1"),
        of(Peer::Kind::Master, "container_e01_7"),
        Peer{.kind = Peer::Kind::Stream, .container = job::ContainerId("c:1"), .ticket = "7f"}}) {
    EXPECT_EQ(Peer::parse(peer.identity()), peer);
  }
  for (const std::string& text :
       {std::string(), std::string("root"), std::string("agent:"), std::string("stream:c1"),
        std::string("stream:c1:"), std::string("stream::7f"), std::string("Owner"),
        "agent:" + std::string(300, 'c')}) {
    EXPECT_FALSE(Peer::parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace muster::control

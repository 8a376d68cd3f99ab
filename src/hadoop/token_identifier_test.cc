#include "hadoop/token_identifier.h"

#include "hadoop/writable.h"

#include <gtest/gtest.h>

#include <chrono>
#include <hadoop/identifiers.pb.h>
#include <limits>
#include <string>

namespace muster::hadoop {
namespace {

namespace proto = ::hadoop::identifiers;
using std::chrono::hours;
using std::chrono::milliseconds;

const WallTime kNow{milliseconds(1'700'000'000'000)};

int64_t at(Duration after) {
  return std::chrono::duration_cast<milliseconds>((kNow + after).time_since_epoch()).count();
}

std::string hdfs_identifier(Duration issued, Duration ends) {
  WritableWriter writer;
  writer.byte(0);
  writer.bytes("alice");
  writer.bytes("yarn");
  writer.bytes("");
  writer.vlong(at(issued));
  writer.vlong(at(ends));
  writer.vlong(7);
  writer.vlong(-3);
  return writer.take();
}

Token hdfs_token(Duration issued, Duration ends) {
  return {.identifier = hdfs_identifier(issued, ends),
          .password = Secret("hunter2"),
          .kind = std::string(token_kind::kHdfs),
          .service = "ha-hdfs:ns1"};
}

void set(proto::ApplicationAttemptId& id) {
  id.mutable_application_id()->set_cluster_timestamp(1'410'901'177'871);
  id.mutable_application_id()->set_id(1);
  id.set_attemptid(2);
}

const AttemptName kAttempt{1'410'901'177'871, 1, 2};

TEST(TokenIdentifier, ReadsHdfsDelegationTokens) {
  const Result<DelegationIdentifier> id =
      decode_delegation_identifier(hdfs_token(-hours(1), hours(167)));
  ASSERT_TRUE(id.has_value()) << id.error().message;
  EXPECT_EQ(*id,
            (DelegationIdentifier{"alice", "yarn", "", kNow - hours(1), kNow + hours(167), 7, -3}));
}

TEST(TokenIdentifier, ReadsYarnDelegationTokensOfBothAges) {
  proto::YARNDelegationTokenIdentifier message;
  message.set_owner("bob");
  message.set_renewer("rm");
  message.set_realuser("oozie");
  message.set_issuedate(at(-hours(2)));
  message.set_maxdate(at(hours(2)));
  message.set_sequencenumber(4);
  message.set_masterkeyid(5);
  Token token{.identifier = message.SerializeAsString(),
              .password = {},
              .kind = std::string(token_kind::kResourceManager),
              .service = "1.2.3.4:8032"};
  EXPECT_EQ(*decode_delegation_identifier(token),
            (DelegationIdentifier{"bob", "rm", "oozie", kNow - hours(2), kNow + hours(2), 4, 5}));
  EXPECT_EQ(describe(token, kNow),
            "RM_DELEGATION_TOKEN for 1.2.3.4:8032 of bob (obtained by oozie), renewed by rm, "
            "issued 2 h ago, ends in 2 h");
  token.identifier = hdfs_identifier(-hours(1), hours(1));
  EXPECT_EQ(decode_delegation_identifier(token)->owner, "alice");
}

TEST(TokenIdentifier, ReadsTheApplicationMastersTokens) {
  proto::AMRMTokenIdentifier am_rm;
  set(*am_rm.mutable_appattemptid());
  am_rm.set_keyid(-17);
  EXPECT_EQ(*decode_am_rm_identifier(am_rm.SerializeAsString()), (AmRmIdentifier{kAttempt, -17}));
  EXPECT_EQ(to_string(kAttempt), "appattempt_1410901177871_0001_000002");

  proto::NMTokenIdentifier node;
  set(*node.mutable_appattemptid());
  node.mutable_nodeid()->set_host("n1");
  node.mutable_nodeid()->set_port(45454);
  node.set_appsubmitter("alice");
  EXPECT_EQ(*decode_node_manager_identifier(node.SerializeAsString()),
            (NodeManagerIdentifier{kAttempt, "n1", 45454, "alice", -1}));
}

TEST(TokenIdentifier, ReadsContainerTokens) {
  proto::ContainerTokenIdentifier message;
  set(*message.mutable_containerid()->mutable_app_attempt_id());
  message.mutable_containerid()->set_id((int64_t{17} << 40) + 5);
  message.set_nmhostaddr("n1:45454");
  message.set_appsubmitter("alice");
  message.mutable_resource()->set_memory(2048);
  message.mutable_resource()->set_virtual_cores(2);
  message.set_expirytimestamp(at(-std::chrono::minutes(3)));
  const Token token{.identifier = message.SerializeAsString(),
                    .password = {},
                    .kind = std::string(token_kind::kContainer),
                    .service = "n1:45454"};
  const Result<ContainerIdentifier> id = decode_container_identifier(token.identifier);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->container, (int64_t{17} << 40) + 5);
  EXPECT_EQ(id->memory_mb, 2048);
  EXPECT_EQ(describe(token, kNow),
            "ContainerToken for n1:45454 of appattempt_1410901177871_0001_000002, container 5 on "
            "n1:45454, expired 3 min ago");
}

TEST(TokenIdentifier, ReadsBlockTokensOfBothForms) {
  const BlockIdentifier expected{kNow + hours(10), -9,          "alice", "BP-1", 1'073'741'825,
                                 {"READ", "COPY"}, Secret("hs")};
  proto::BlockTokenSecret message;
  message.set_expirydate(static_cast<uint64_t>(at(hours(10))));
  message.set_keyid(static_cast<uint32_t>(-9));
  message.set_userid("alice");
  message.set_blockpoolid("BP-1");
  message.set_blockid(1'073'741'825);
  message.add_modes(proto::READ);
  message.add_modes(proto::COPY);
  message.set_handshakesecret("hs");
  EXPECT_EQ(*decode_block_identifier(message.SerializeAsString()), expected);

  WritableWriter old;
  old.vlong(at(hours(10)));
  old.vlong(-9);
  old.int32(5);
  old.raw("alice");
  old.int32(4);
  old.raw("BP-1");
  old.vlong(1'073'741'825);
  old.vlong(2);
  old.bytes("READ");
  old.bytes("COPY");
  WritableWriter newer = old;
  newer.vlong(1);
  newer.bytes("DISK");
  newer.vlong(1);
  newer.int32(2);
  newer.raw("id");
  newer.bytes("hs");
  EXPECT_EQ(decode_block_identifier(old.take())->modes.size(), 2U);
  const std::string bytes = newer.take();
  EXPECT_EQ(*decode_block_identifier(bytes), expected);
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const Result<BlockIdentifier> torn = decode_block_identifier(bytes.substr(0, cut));
    EXPECT_TRUE(torn.has_value() || torn.error().code == Errc::Corrupt);
  }
}

TEST(TokenIdentifier, SaysHowOldATokenIsAndNeverItsPassword) {
  EXPECT_EQ(describe(hdfs_token(-hours(171), -hours(3)), kNow),
            "HDFS_DELEGATION_TOKEN for ha-hdfs:ns1 of alice, renewed by yarn, issued 7 d 3 h ago, "
            "expired 3 h ago");
  Token odd = hdfs_token(Duration(0), Duration(0));
  odd.identifier.resize(4);
  EXPECT_EQ(describe(odd, kNow),
            "HDFS_DELEGATION_TOKEN for ha-hdfs:ns1 (damaged at byte 1: 5 bytes announced, 2 left)");
  EXPECT_EQ(
      describe({.identifier = "x", .password = {}, .kind = "S3", .service = "b\x1B[2J"}, kNow),
      "S3 for b^[[2J");
}

TEST(TokenIdentifier, TimesBeyondOurClockAreFarAway) {
  proto::YARNDelegationTokenIdentifier message;
  message.set_owner("bob");
  message.set_issuedate(std::numeric_limits<int64_t>::min());
  message.set_maxdate(std::numeric_limits<int64_t>::max());
  const Token token{.identifier = message.SerializeAsString(),
                    .password = {},
                    .kind = std::string(token_kind::kResourceManager),
                    .service = "1.2.3.4:8032"};
  const std::string said = describe(token, kNow);
  EXPECT_TRUE(said.contains(", issued 53") && said.contains(" ago, ends in 53")) << said;
}

TEST(TokenIdentifier, TornAtEveryByteItSaysSo) {
  Token token = hdfs_token(Duration(0), hours(1));
  while (!token.identifier.empty()) {
    token.identifier.pop_back();
    EXPECT_FALSE(decode_delegation_identifier(token).has_value());
  }
}

}  // namespace
}  // namespace muster::hadoop

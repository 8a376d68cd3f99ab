#include "inside/horovod_notice.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::inside {
namespace {

// What Horovod 0.28.1 sends for two interfaces, port 41234 and the key 00 01 ... 1f: base64 of
// pickle.dumps(({"lo": [("127.0.0.1", 41234)], "eth0": [...]}, key), protocol=5).
constexpr const char* kSent =
    "gAWVbgAAAAAAAAB9lCiMAmxvlF2UjAkxMjcuMC4wLjGUTRKhhpRhjARldGgwlF2UKIwIMTAuMC4wLjeUTRKhhpSMCDEw"
    "LjAuMC44lE0SoYaUZXVDIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4flIaULg==";

TEST(HorovodNotice, ReadsWhereARankTakesNotices) {
  const auto desk = parse_notice_desk(kSent);
  ASSERT_TRUE(desk.has_value()) << desk.error().message;
  EXPECT_EQ(desk->port, 41234);
  ASSERT_EQ(desk->key.size(), 32U);
  EXPECT_EQ(desk->key[1], '\x01');
  EXPECT_EQ(desk->key[31], '\x1f');
}

TEST(HorovodNotice, RefusesWhatIsCutOff) {
  const std::string whole = kSent;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_notice_desk(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(HorovodNotice, BuildsNoObjectOfAPickle) {
  // pickle.dumps(os.system, 0) and the call to it: "cposix\nsystem\n(S'true'\ntR."
  const auto desk = parse_notice_desk("Y3Bvc2l4CnN5c3RlbQooUyd0cnVlJwp0Ui4=");
  ASSERT_FALSE(desk.has_value());
  EXPECT_NE(desk.error().message.find("opcode 0x63"), std::string::npos) << desk.error().message;
  EXPECT_FALSE(parse_notice_desk("!!!!").has_value());
}

TEST(HorovodNotice, SignsItsMessage) {
  const std::string message = members_added_notice("key", 7);
  const std::string pickle =
      "chorovod.runner.elastic.worker\nHostsUpdatedRequest\n(L7L\n"
      "chorovod.runner.elastic.worker\nHostUpdateResult\n(I2\ntRtR.";
  ASSERT_EQ(message.size(), 36 + pickle.size());
  EXPECT_EQ(message.substr(36), pickle);
  EXPECT_EQ(static_cast<size_t>(message[32]), pickle.size());
  EXPECT_EQ(message.substr(33, 3), std::string(3, '\0'));
  EXPECT_NE(message.substr(0, 32), members_added_notice("other", 7).substr(0, 32));
}

}  // namespace
}  // namespace muster::inside

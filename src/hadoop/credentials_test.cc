#include "hadoop/credentials.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

using namespace std::string_literals;

Token token(std::string kind, std::string service) {
  return {.identifier = "ident\0ifier"s,
          .password = Secret("pass\xFFword"),
          .kind = std::move(kind),
          .service = std::move(service)};
}

Credentials some() {
  Credentials credentials;
  credentials.add("", token("YARN_AM_RM_TOKEN", ""));
  credentials.add("ha-hdfs:ns1", token("HDFS_DELEGATION_TOKEN", "ha-hdfs:ns1"));
  credentials.add_secret("muster.key", Secret(std::string(300, '\x80')));
  return credentials;
}

TEST(Credentials, OneTokenHasHadoopsBytes) {
  Credentials credentials;
  credentials.add(
      "",
      {.identifier = "ident", .password = Secret("pw"), .kind = "YARN_AM_RM_TOKEN", .service = ""});
  EXPECT_EQ(encode_credentials(credentials),
            "HDTS\x00\x01\x00\x05ident\x02pw\x10YARN_AM_RM_TOKEN\x00\x00"s);
}

TEST(Credentials, ComeBackInBothFormats) {
  for (const CredentialsFormat format :
       {CredentialsFormat::Writable, CredentialsFormat::Protobuf}) {
    const std::string bytes = encode_credentials(some(), format);
    const Result<Credentials> back = decode_credentials(bytes);
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(*back, some());
    EXPECT_TRUE(decode_credentials(bytes + "more").has_value());
  }
}

TEST(Credentials, TornAtEveryByteTheySaySo) {
  for (const CredentialsFormat format :
       {CredentialsFormat::Writable, CredentialsFormat::Protobuf}) {
    const std::string bytes = encode_credentials(some(), format);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      const Result<Credentials> torn = decode_credentials(bytes.substr(0, cut));
      ASSERT_FALSE(torn.has_value()) << cut;
      EXPECT_EQ(torn.error().code, Errc::Corrupt);
      EXPECT_FALSE(torn.error().message.empty());
    }
  }
}

TEST(Credentials, DamageAtAnyByteDoesNoHarm) {
  const std::string bytes = encode_credentials(some());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char value : {'\x00', '\x7F', '\x80', '\x88', '\xFF'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      const Result<Credentials> back = decode_credentials(damaged);
      EXPECT_TRUE(back.has_value() || back.error().code == Errc::Corrupt);
    }
  }
}

TEST(Credentials, RefusesWhatIsNoTokenFile) {
  EXPECT_EQ(decode_credentials("{}").error().message,
            "not a Hadoop token file: it does not begin with HDTS");
  EXPECT_EQ(decode_credentials("HDTS\x07"s).error().message,
            "a Hadoop token file of format 7; only 0 and 1 are supported");
  // Announces 2^31 - 1 tokens.
  EXPECT_FALSE(decode_credentials("HDTS\x00\x8C\x7F\xFF\xFF\xFF"s).has_value());
  EXPECT_EQ(decode_credentials("HDTS\x00\xFF"s).error().message,
            "damaged at byte 1: entries announced: -1, bytes left: 1");
}

TEST(Credentials, HaveOneOfEachAlias) {
  Credentials credentials = some();
  credentials.add("ha-hdfs:ns1", token("HDFS_DELEGATION_TOKEN", "other"));
  credentials.add_secret("muster.key", Secret("new"));
  EXPECT_EQ(credentials.tokens().size(), 2U);
  EXPECT_EQ(credentials.tokens()[1].token.service, "other");
  EXPECT_EQ(credentials.find_secret("muster.key")->reveal(), "new");
  EXPECT_EQ(credentials.find_secret("none"), nullptr);
  credentials.remove_kind("YARN_AM_RM_TOKEN");
  EXPECT_EQ(credentials.tokens().size(), 1U);
}

TEST(Credentials, UrlTokensAreWritablesInUrlSafeBase64) {
  // Each part is preceded by its length; "_" stands for "/", and there is no padding.
  EXPECT_EQ(encode_url_token(token("WEBHDFS delegation", "1.2.3.4:8020")),
            "C2lkZW50AGlmaWVyCXBhc3P_d29yZBJXRUJIREZTIGRlbGVnYXRpb24MMS4yLjMuNDo4MDIw");
}

}  // namespace
}  // namespace muster::hadoop

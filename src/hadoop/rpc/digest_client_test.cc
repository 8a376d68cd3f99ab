#include "hadoop/rpc/digest_client.h"

#include "hadoop/rpc/digest_text.h"
#include "hadoop/rpc/encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::hadoop::rpc {
namespace {

// What the SASL server of JDK 17 said and accepted, with the identifier "ident-bytes" and the
// password "password-bytes-20xxxx".
constexpr std::string_view kUser = "aWRlbnQtYnl0ZXM=";
constexpr std::string_view kPassword = "cGFzc3dvcmQtYnl0ZXMtMjB4eHh4";

struct Message {
  std::string_view plain;
  std::string_view token;
};

struct Vector {
  std::string_view name;
  std::string_view uri;
  std::string_view realm;
  std::string_view nonce;
  std::string_view cnonce;
  std::string_view authzid;
  Protection protection;
  DigestCipher cipher;
  std::string_view response;
  std::string_view rspauth;
  std::vector<Message> to_server;
  std::vector<Message> to_client;
};

std::vector<Vector> vectors() {
  return {
      {.name = "auth",
       .uri = "/default",
       .realm = "default",
       .nonce = "1Yw3L7yqxxq9m6JRNyOt/cJsFrocmIKM4+cvMGMx",
       .cnonce = "3wCqv2EuXZ/aD2zca9A6gcX3tW+uGY8ISOf8cS2v",
       .protection = Protection::Authentication,
       .response = "df7e6ce9a25684fbef49d14669751be8",
       .rspauth = "fe3af16612abe325cb8e661b4cedfe61"},
      {.name = "auth-int",
       .uri = "/default",
       .realm = "default",
       .nonce = "amd/+T8kXrsPtrYauptoy2bUFrsXEAcNMLq4y5PP",
       .cnonce = "UU2rDALbP92C79fFeGQtUgRyM4eFlxG9yAKI6Wsm",
       .protection = Protection::Integrity,
       .response = "b6411219f086e0e79ada6a546b251096",
       .rspauth = "118a572f6290f6eafc8ee54bb08815ee",
       .to_server = {{"hello", "68656c6c6f7543c2f70701721628b8000100000000"},
                     {"hadoop rpc two",
                      "6861646f6f70207270632074776fcfab16e5b76945866300000100000001"}},
       .to_client = {{"world", "776f726c64086e79499cdd026e50f1000100000000"}}},
      {.name = "3des",
       .uri = "/default",
       .realm = "default",
       .nonce = "ZUviGTOpztNeeUXY4cth3DphWjJ3JqrxLhniiTD2",
       .cnonce = "h+KHbaEkQideX3Wh/tzRatj5UtqghOLmW6IR2Zp2",
       .protection = Protection::Privacy,
       .cipher = DigestCipher::TripleDes,
       .response = "793ecfdce15d9b248c41bb98c20e0f79",
       .rspauth = "9b8afc859cc9fd3fbb41b812c4303d75",
       .to_server = {{"hello", "02ab914abb637c9f4b1fbff4d0ba7ff1000100000000"},
                     {"hadoop rpc two",
                      "fccb410094450bfa7c3beb70d24221e95a7cbf1efd8aae1b00f5e0fa4807ea7c0001000000"
                      "01"}},
       .to_client = {{"world", "661bba6ca75710bc7c33dc2fe5c05339000100000000"}}},
      {.name = "rc4",
       .uri = "hdfs/0",
       .realm = "0",
       .nonce = "sRBQ+kpKOnVKFME3I12zj55WYTpLrQpHSs5R5e2g",
       .cnonce = "kZCZdRA7yEUpN1ZOQKxinnJnq47JAMo7CYd5VQ5Z",
       .protection = Protection::Privacy,
       .cipher = DigestCipher::Rc4,
       .response = "7593c53728fad793b95f6a97b562a82a",
       .rspauth = "f7a1f0b003f01da96fa5b47be82f6e04",
       .to_server = {{"hello", "340d94c083edef295a134717bc35f5000100000000"}},
       .to_client = {{"world", "e5c07aea35cd027083474cf9423e42000100000000"}}},
      {.name = "authzid",
       .uri = "hdfs/0",
       .realm = "0",
       .nonce = "hGhSGWqdj24lzQ4S5dn8XZwOsT0uMhXr35EaHNM9",
       .cnonce = "2WPmo0Tl7aTvEZZJgPuMNn103qlBLkJPKJqREZjT",
       .authzid = kUser,
       .protection = Protection::Privacy,
       .cipher = DigestCipher::Rc4,
       .response = "d14ea066e0f02cb6c70a15cddc619bc6",
       .rspauth = "43a0cebb7c0773b6db1757a590214407",
       .to_server = {{"hello", "2684b644b1eb3374d51bb23103534b000100000000"}}},
  };
}

DigestTerms terms_of(const Vector& vector) {
  return {.username = std::string(kUser),
          .password = std::string(kPassword),
          .realm = std::string(vector.realm),
          .nonce = std::string(vector.nonce),
          .cnonce = std::string(vector.cnonce),
          .uri = std::string(vector.uri),
          .authzid = std::string(vector.authzid),
          .protection = vector.protection,
          .cipher = vector.cipher};
}

DigestLogin login(std::vector<Protection> protections = {}) {
  return digest_login({.identifier = "ident-bytes", .password = "password-bytes-20xxxx"},
                      std::move(protections));
}

std::string challenge(
    std::string_view more = "qop=\"auth-conf,auth-int,auth\",cipher=\"3des,rc4\"") {
  return "realm=\"default\",nonce=\"a+/=n\",charset=utf-8,algorithm=md5-sess," + std::string(more);
}

TEST(Digest, ProvesItselfAsTheJdkDoes) {
  for (const Vector& vector : vectors()) {
    EXPECT_EQ(digest_response(terms_of(vector)), vector.response) << vector.name;
    EXPECT_EQ(digest_rspauth(terms_of(vector)), vector.rspauth) << vector.name;
  }
}

TEST(Digest, WrapsAndUnwrapsAsTheJdkDoes) {
  for (const Vector& vector : vectors()) {
    const auto client = digest_layer(terms_of(vector), DigestSide::Client);
    const auto server = digest_layer(terms_of(vector), DigestSide::Server);
    for (const auto& [plain, token] : vector.to_server) {
      std::string wrapped;
      client->wrap(plain, wrapped);
      EXPECT_EQ(hex(wrapped), token) << vector.name;
      std::string back = "kept:";
      ASSERT_TRUE(server->unwrap(wrapped, back).has_value()) << vector.name;
      EXPECT_EQ(back, "kept:" + std::string(plain));
    }
    for (const auto& [plain, token] : vector.to_client) {
      std::string back;
      ASSERT_TRUE(client->unwrap(*unhex(token), back).has_value()) << vector.name;
      EXPECT_EQ(back, plain);
    }
  }
}

TEST(Digest, CarriesMessagesOfEverySize) {
  for (const DigestCipher cipher :
       {DigestCipher::TripleDes, DigestCipher::Rc4, DigestCipher::Rc4Of56, DigestCipher::Rc4Of40}) {
    DigestTerms terms = terms_of(vectors()[2]);
    terms.cipher = cipher;
    const auto client = digest_layer(terms, DigestSide::Client);
    const auto server = digest_layer(terms, DigestSide::Server);
    for (size_t size = 0; size < 40; ++size) {
      const std::string plain(size, 'p');
      std::string wrapped;
      server->wrap(plain, wrapped);
      std::string back;
      ASSERT_TRUE(client->unwrap(wrapped, back).has_value()) << size;
      EXPECT_EQ(back, plain);
    }
  }
}

TEST(Digest, NoticesEveryChangedByte) {
  for (const size_t which : {1U, 2U, 3U}) {
    const Vector vector = vectors()[which];
    const std::string token = *unhex(vector.to_client.front().token);
    for (size_t at = 0; at < token.size(); ++at) {
      const auto client = digest_layer(terms_of(vector), DigestSide::Client);
      std::string damaged = token;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      std::string out;
      EXPECT_EQ(client->unwrap(damaged, out).error().code, Errc::Corrupt) << at;
    }
    for (size_t size = 0; size < token.size(); ++size) {
      const auto client = digest_layer(terms_of(vector), DigestSide::Client);
      std::string out;
      EXPECT_FALSE(client->unwrap(token.substr(0, size), out).has_value()) << size;
    }
  }
}

TEST(Digest, NoticesARepeatedMessage) {
  const Vector vector = vectors()[1];
  const auto client = digest_layer(terms_of(vector), DigestSide::Client);
  const std::string token = *unhex(vector.to_client.front().token);
  std::string out;
  EXPECT_TRUE(client->unwrap(token, out).has_value());
  EXPECT_FALSE(client->unwrap(token, out).has_value());
}

TEST(DigestClient, AnswersAChallenge) {
  DigestClient client(login({Protection::Privacy}), "mine");
  const auto response = client.respond(challenge());
  ASSERT_TRUE(response.has_value()) << response.error().message;
  const auto said = Directives::parse(*response);
  EXPECT_EQ(said->find("username"), kUser);
  EXPECT_EQ(said->find("realm"), "default");
  EXPECT_EQ(said->find("nonce"), "a+/=n");
  EXPECT_EQ(said->find("digest-uri"), "/default");
  EXPECT_EQ(said->find("qop"), "auth-conf");
  EXPECT_EQ(said->find("cipher"), "3des");
  EXPECT_EQ(said->find("nc"), "00000001");
}

TEST(DigestClient, ChoosesByItsOwnOrder) {
  DigestClient strongest(login(), "c");
  ASSERT_TRUE(strongest.respond(challenge("qop=\"auth,auth-int\"")).has_value());
  EXPECT_EQ(strongest.protection(), Protection::Integrity);
  DigestClient ours(login({Protection::Authentication, Protection::Privacy}), "c");
  ASSERT_TRUE(ours.respond(challenge()).has_value());
  EXPECT_EQ(ours.protection(), Protection::Authentication);
  DigestClient plain(login(), "c");
  ASSERT_TRUE(plain.respond(challenge("maxbuf=1")).has_value());
  EXPECT_EQ(plain.protection(), Protection::Authentication);
}

TEST(DigestClient, RefusesWhatItCannotDo) {
  const auto error = [](std::string_view text, std::vector<Protection> ours = {}) {
    DigestClient client(login(std::move(ours)), "c");
    return client.respond(text).error();
  };
  EXPECT_EQ(error(challenge("qop=\"auth\""), {Protection::Privacy}).code, Errc::Unauthenticated);
  EXPECT_EQ(error(challenge("qop=\"auth-conf\",cipher=\"des\"")).code, Errc::Unauthenticated);
  EXPECT_EQ(error("nonce=\"x\",algorithm=md5").code, Errc::Corrupt);
  EXPECT_EQ(error("realm=\"x\",algorithm=md5-sess").code, Errc::Corrupt);
  EXPECT_EQ(error("nonce=\"x").code, Errc::Corrupt);
}

TEST(DigestClient, RequiresTheServersProof) {
  const Vector vector = vectors()[0];
  DigestClient client(login(), std::string(vector.cnonce));
  ASSERT_TRUE(client
                  .respond("realm=\"default\",qop=\"auth\",algorithm=md5-sess,nonce=\"" +
                           std::string(vector.nonce) + "\"")
                  .has_value());
  EXPECT_TRUE(client.verify("rspauth=" + std::string(vector.rspauth)).has_value());
  EXPECT_EQ(client.verify("rspauth=00000000000000000000000000000000").error().code,
            Errc::Unauthenticated);
  EXPECT_FALSE(client.verify("").has_value());
}

TEST(Directives, ReadsQuotesListsAndBlanks) {
  const auto read = Directives::parse(", a=\"x,\\\"y\\\\\" ,B = c,, list=\"one, two\" ");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->find("a"), "x,\"y\\");
  EXPECT_EQ(read->find("b"), "c");
  EXPECT_EQ(read->list("list").size(), 2U);
  EXPECT_EQ(in_quotes("a\"b\\"), "\"a\\\"b\\\\\"");
}

TEST(Directives, RefusesMalformedText) {
  for (const char* text : {"a", "a=\"", "=x", "a=\"b\"c=d", "a=\"\\", "\"", "a b=c"}) {
    EXPECT_EQ(Directives::parse(text).error().code, Errc::Corrupt) << text;
  }
  EXPECT_FALSE(Directives::parse(std::string(70'000, ',')).has_value());
}

}  // namespace
}  // namespace muster::hadoop::rpc

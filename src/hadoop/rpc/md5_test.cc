#include "hadoop/rpc/md5.h"

#include "hadoop/rpc/encoding.h"

#include <gtest/gtest.h>

namespace muster::hadoop::rpc {
namespace {

TEST(Md5, KnowsTheVectorsOfItsStandard) {
  EXPECT_EQ(hex(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex(md5("a")), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(hex(md5("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hex(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(hex(md5("1234567890123456789012345678901234567890123456789012345678901234567890"
                    "1234567890")),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, IsTheSameInPieces) {
  const std::string text(1000, 'x');
  for (const size_t piece : {1U, 7U, 55U, 56U, 63U, 64U, 65U, 200U}) {
    Md5 hash;
    for (size_t at = 0; at < text.size(); at += piece) {
      hash.update(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(hash.finish(), md5(text)) << piece;
  }
}

TEST(Md5, AuthenticatesAsRfc2202Says) {
  EXPECT_EQ(hex(hmac_md5(std::string(16, '\x0b'), "Hi There")), "9294727a3638bb1c13f48ef8158bfc9d");
  EXPECT_EQ(hex(hmac_md5("Jefe", "what do ya want ", "for nothing?")),
            "750c783e6ab0b503eaa86e310a5db738");
  EXPECT_EQ(hex(hmac_md5(std::string(80, '\xaa'),
                         "Test Using Larger Than Block-Size Key - Hash Key First")),
            "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
}

TEST(Encoding, WritesAndReadsBase64) {
  EXPECT_EQ(base64("ident-bytes"), "aWRlbnQtYnl0ZXM=");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(unhex("0aFF").value_or("?"), std::string("\x0a\xff"));
  EXPECT_FALSE(unhex("0").has_value());
  EXPECT_FALSE(unhex("0g").has_value());
}

}  // namespace
}  // namespace muster::hadoop::rpc

#include "net/client_hello.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace muster::net {
namespace {

using Extensions = std::vector<std::pair<uint16_t, std::string>>;

std::string number(size_t value, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
  }
  return bytes;
}

std::string counted(const std::string& bytes, int size) {
  return number(bytes.size(), size) + bytes;
}

/// Returns an offer of keys with these names, each with an age and a proof.
std::string offer(const std::vector<std::string>& names) {
  std::string identities;
  std::string proofs;
  for (const std::string& name : names) {
    identities += counted(name, 2) + number(0, 4);
    proofs += counted(std::string(32, 'p'), 1);
  }
  return counted(identities, 2) + counted(proofs, 2);
}

std::string hello(const Extensions& extensions, char record = kTlsHandshake, char message = 1) {
  std::string listed;
  for (const auto& [type, content] : extensions) {
    listed += number(type, 2) + counted(content, 2);
  }
  const std::string body = number(0x0303, 2) + std::string(32, 'r') + counted("session", 1) +
                           counted("\x13\x01", 2) + counted(std::string(1, '\0'), 1) +
                           counted(listed, 2);
  return record + number(0x0301, 2) + counted(message + counted(body, 3), 2);
}

TEST(ClientHello, NamesTheFirstKeyThatItOffers) {
  const std::string one = hello({{43, "versions"}, {41, offer({"stream:c1:aa"})}});
  EXPECT_EQ(psk_identity_of(one), "stream:c1:aa");
  const std::string two = hello({{41, offer({"owner", "viewer"})}});
  EXPECT_EQ(psk_identity_of(two), "owner");
  EXPECT_EQ(psk_identity_of(two + "what follows"), "owner");
}

TEST(ClientHello, MayNameNone) {
  EXPECT_EQ(psk_identity_of(hello({})), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{0, "a.example"}})), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{41, ""}})), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{41, offer({})}})), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{41, offer({""})}})), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{41, offer({"owner"})}}, '\x17')), std::nullopt);
  EXPECT_EQ(psk_identity_of(hello({{41, offer({"owner"})}}, kTlsHandshake, 2)), std::nullopt);
  EXPECT_EQ(psk_identity_of("GET / HTTP/1.1\r\n\r\n"), std::nullopt);
}

TEST(ClientHello, OfWhichSomethingIsMissingNamesNone) {
  const std::string whole = hello({{43, "versions"}, {41, offer({"owner"})}});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(psk_identity_of(whole.substr(0, size)), std::nullopt) << size;
  }
}

TEST(ClientHello, WithWrongLengthsNamesNothingThatIsNotInIt) {
  const std::string whole = hello({{43, "versions"}, {41, offer({"owner"})}});
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string broken = whole;
      broken[at] = byte;
      if (const auto name = psk_identity_of(broken)) {
        EXPECT_GE(name->data(), broken.data());
        EXPECT_LE(name->data() + name->size(), broken.data() + broken.size());
      }
    }
  }
}

}  // namespace
}  // namespace muster::net

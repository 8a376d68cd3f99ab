#include "client/reach/typed_keys.h"

#include "wire/stream.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::client {
namespace {

std::string send_all(TypedKeys& keys) {
  std::string all;
  while (!keys.all_sent()) {
    const std::string part(keys.unsent(3));
    all += part;
    keys.sent(part.size());
  }
  return all;
}

TEST(TypedKeys, AreSentInPiecesAndOnce) {
  TypedKeys keys;
  keys.add("abcd");
  keys.add("efg");
  EXPECT_EQ(send_all(keys), "abcdefg");
  EXPECT_EQ(keys.unsent(10), "");
}

TEST(TypedKeys, AreSentAgainFromWhereTheShellHasThem) {
  TypedKeys keys;
  keys.add("0123456789");
  (void)send_all(keys);
  keys.add("xyz");
  keys.resume(7);
  EXPECT_EQ(send_all(keys), "789xyz");
  keys.resume(9);
  EXPECT_EQ(send_all(keys), "9xyz") << "the second of two connections was lost as well";
  keys.resume(13);
  EXPECT_TRUE(keys.all_sent());
}

TEST(TypedKeys, ThatWereNotSentAreNotTakenForSent) {
  TypedKeys keys;
  keys.add("abcdef");
  keys.sent(2);
  keys.resume(2);
  EXPECT_EQ(send_all(keys), "cdef");
}

TEST(TypedKeys, BelieveNoNumberThatCannotBe) {
  TypedKeys keys;
  keys.add("abcdef");
  keys.sent(4);
  keys.resume(1000);
  EXPECT_EQ(send_all(keys), "ef");
  keys.resume(1);
  EXPECT_EQ(send_all(keys), "ef") << "what came before is forgotten";
}

TEST(TypedKeys, AreNotSentAgainWhereNobodyKnows) {
  TypedKeys keys;
  keys.add("abcdef");
  keys.sent(4);
  keys.restart();
  EXPECT_EQ(send_all(keys), "ef");
  keys.resume(1);
  EXPECT_EQ(send_all(keys), "f") << "counted from the restart";
}

TEST(TypedKeys, AreKeptForAWindowAndNoLonger) {
  TypedKeys keys;
  const std::string piece(10'000, 'x');
  for (int i = 0; i < 400; ++i) {
    keys.add(piece);
    keys.sent(piece.size());
  }
  keys.resume(4'000'000 - wire::kStreamWindowMax);
  EXPECT_EQ(keys.unsent(4'000'000).size(), wire::kStreamWindowMax);
  keys.sent(wire::kStreamWindowMax);
  keys.resume(0);
  EXPECT_LE(keys.unsent(4'000'000).size(), wire::kStreamWindowMax) << "the rest is forgotten";
}

}  // namespace
}  // namespace muster::client

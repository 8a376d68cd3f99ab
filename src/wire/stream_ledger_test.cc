#include "wire/stream_ledger.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::wire {
namespace {

StreamData data(size_t bytes) { return {std::string(bytes, 'x')}; }

TEST(StreamLedger, SendsWhatItHasCreditFor) {
  StreamLedger ledger;
  EXPECT_EQ(ledger.sendable(), kStreamWindow);
  ledger.sent(kStreamWindow - 1);
  EXPECT_EQ(ledger.sendable(), 1U);
  ASSERT_TRUE(ledger.received(StreamCredit{100}).has_value());
  EXPECT_EQ(ledger.sendable(), 101U);
  ledger.close();
  EXPECT_EQ(ledger.sendable(), 0U);
}

TEST(StreamLedger, RefusesDataWithoutCredit) {
  StreamLedger ledger;
  for (size_t got = 0; got < kStreamWindow; got += kStreamDataMax) {
    ASSERT_TRUE(ledger.received(data(kStreamDataMax)).has_value());
  }
  EXPECT_EQ(ledger.received(data(1)).error().code, Errc::Corrupt);
}

TEST(StreamLedger, GivesCreditByTheQuarterWindow) {
  StreamLedger ledger;
  constexpr size_t kQuarter = kStreamWindow / 4;
  ASSERT_TRUE(ledger.received(data(kQuarter)).has_value());
  EXPECT_EQ(ledger.consumed(kQuarter - 1), 0U);
  EXPECT_EQ(ledger.consumed(1), kQuarter);
  EXPECT_EQ(ledger.consumed(0), 0U);
}

TEST(StreamLedger, RefusesMoreCreditThanTheWindow) {
  StreamLedger ledger;
  EXPECT_FALSE(ledger.received(StreamCredit{1}).has_value());
  ledger.sent(10);
  EXPECT_TRUE(ledger.received(StreamCredit{10}).has_value());
  EXPECT_FALSE(ledger.received(StreamCredit{UINT64_MAX}).has_value());
}

TEST(StreamLedger, KeepsToWiderWindowsWhereAnEndTakesMore) {
  StreamLedger ledger({.here = kStreamWindowMax});
  for (size_t got = 0; got < kStreamWindowMax; got += kStreamDataMax) {
    ASSERT_TRUE(ledger.received(data(kStreamDataMax)).has_value());
  }
  EXPECT_FALSE(ledger.received(data(1)).has_value());
  EXPECT_EQ(ledger.consumed(kStreamWindowMax / 8 - 1), 0U);
  EXPECT_EQ(ledger.consumed(1), kStreamWindowMax / 8);
  EXPECT_EQ(ledger.sendable(), kStreamWindow) << "the other end has said nothing";
  ledger.widen(kStreamWindowMax);
  ledger.widen(kStreamWindow);
  EXPECT_EQ(ledger.sendable(), kStreamWindowMax);
  ledger.sent(10);
  EXPECT_FALSE(ledger.received(StreamCredit{11}).has_value());
}

TEST(StreamLedger, OwesCreditLongBeforeAnEndThatKnowsNoWideWindowsIsStuck) {
  StreamLedger ledger({.here = kStreamWindowMax});
  ASSERT_TRUE(ledger.received(data(kStreamDataMax)).has_value());
  ASSERT_TRUE(ledger.received(data(kStreamDataMax)).has_value());
  EXPECT_EQ(ledger.consumed(2 * kStreamDataMax), 2 * kStreamDataMax);
}

TEST(StreamLedger, RefusesDataAfterTheOtherEndHasClosed) {
  StreamLedger ledger;
  ASSERT_TRUE(ledger.received(StreamClosed{}).has_value());
  EXPECT_FALSE(ledger.received(data(1)).has_value());
  EXPECT_FALSE(ledger.received(StreamClosed{}).has_value());
  EXPECT_EQ(ledger.sendable(), kStreamWindow) << "this end goes on";
}

TEST(ExecMessages, GiveBackEveryKind) {
  const std::string bytes("a\0b\n\xff", 5);
  for (const ExecInput& message : {ExecInput(ExecBytes{bytes}), ExecInput(ExecInputEnded{}),
                                   ExecInput(TerminalSize{50, 132}), ExecInput(ExecSignal{2})}) {
    const Result<ExecInput> back = decode_exec_input(encode(message));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, message);
  }
  for (const ExecOutput& message :
       {ExecOutput(ExecOutputBytes{false, bytes}), ExecOutput(ExecOutputBytes{true, bytes}),
        ExecOutput(ExecExited{127, "no such program"})}) {
    const Result<ExecOutput> back = decode_exec_output(encode(message));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, message);
  }
}

TEST(ExecMessages, HaveNoMoreBesideTheirBytesThanPlanned) {
  const std::string bytes(32U << 10, 'x');
  EXPECT_LE(encode(ExecInput(ExecBytes{bytes})).size(), bytes.size() + kExecOverheadMax);
  EXPECT_LE(encode(ExecOutput(ExecOutputBytes{true, bytes})).size(),
            bytes.size() + kExecOverheadMax);
}

TEST(ExecMessages, RefuseOtherBytes) {
  for (const std::string& bytes :
       {std::string(), std::string("\xff\xff"), std::string(70'000, 0)}) {
    EXPECT_EQ(decode_exec_input(bytes).error().code, Errc::Corrupt);
    EXPECT_EQ(decode_exec_output(bytes).error().code, Errc::Corrupt);
  }
}

}  // namespace
}  // namespace muster::wire

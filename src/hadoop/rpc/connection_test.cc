#include "hadoop/rpc/connection.h"

#include "hadoop/rpc/service_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop::rpc {
namespace {

using namespace std::chrono_literals;

class ConnectionTest : public ServiceTest {
 protected:
  ConnectionTest() { server_.on_call("renew", &ServiceTest::answer); }

  /// Returns the failure of one call that nothing repeats.
  Failure failure_of(Target wanted) {
    const auto proxy = client_.proxy(std::move(wanted), {.call_timeout = 20s}, {});
    Outcome outcome = call(*proxy, idempotent("renew"), {.fail_fast = true});
    return outcome.has_value() ? Failure() : std::move(outcome).error();
  }
};

TEST_F(ConnectionTest, ProvesATokenWithEveryProtection) {
  for (const Protection protection :
       {Protection::Authentication, Protection::Integrity, Protection::Privacy}) {
    for (const DigestCipher cipher : {DigestCipher::TripleDes, DigestCipher::Rc4}) {
      Target wanted = with_token({protection});
      server_.options().ciphers = {cipher};
      const auto proxy = client_.proxy(std::move(wanted));
      for (int i = 0; i < 3; ++i) {
        const Outcome outcome = call(*proxy, idempotent("renew"));
        ASSERT_TRUE(outcome.has_value()) << outcome.error().error.message;
      }
      EXPECT_EQ(server_.calls().back().user, "ident");
    }
  }
}

TEST_F(ConnectionTest, WrapsLargeRequestsInPieces) {
  net_.set_options({.read_max = 777});
  const auto proxy = client_.proxy(with_token({Protection::Privacy}));
  request_.mutable_token()->set_identifier(std::string(300'000, 'x'));
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(server_.calls()[0].request.size(), request_.ByteSizeLong());
}

TEST_F(ConnectionTest, RefusesSimpleWhereThereIsAToken) {
  Target wanted = with_token({Protection::Authentication});
  server_.options() = {.simple = true};  // Answers NEGOTIATE with SUCCESS.
  const Failure failure = failure_of(std::move(wanted));
  EXPECT_EQ(failure.error.code, Errc::Unauthenticated);
  EXPECT_NE(failure.error.message.find("does not ask for the token"), std::string::npos);
  EXPECT_TRUE(server_.calls().empty());
}

TEST_F(ConnectionTest, SpeaksSimpleWhereThatIsAllowedAndTheServerWantsNoMore) {
  Target wanted = with_token({});
  wanted.allow_simple = true;
  server_.options() = {.simple = true};  // Answers NEGOTIATE with SUCCESS.
  const auto proxy = client_.proxy(std::move(wanted));
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(server_.calls()[0].user, "alice");
}

TEST_F(ConnectionTest, ChoosesSimpleFromTheOffersWithoutAToken) {
  Target wanted = with_token({Protection::Authentication});
  server_.options().simple = true;
  wanted.kerberos = true;
  wanted.allow_simple = true;
  wanted.find_token = nullptr;
  const auto proxy = client_.proxy(std::move(wanted));
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
}

TEST_F(ConnectionTest, RefusesSimpleWhereKerberosIsRequired) {
  Target wanted = target();
  wanted.kerberos = true;
  const Failure failure = failure_of(std::move(wanted));
  EXPECT_EQ(failure.error.code, Errc::Unauthenticated);
  EXPECT_NE(failure.error.message.find("fallback-to-simple"), std::string::npos);
}

TEST_F(ConnectionTest, TellsThatATokenIsRefused) {
  Target wanted = with_token({Protection::Authentication});
  wanted.find_token = [](const TokenQuery&) { return TokenSecret{"ident", "wrong"}; };
  const Failure failure = failure_of(std::move(wanted));
  EXPECT_EQ(failure.error.code, Errc::Unauthenticated);
  EXPECT_TRUE(failure.is("SecretManager$InvalidToken"));
}

TEST_F(ConnectionTest, AsksForTheTokenOfTheConnectedAddress) {
  Target wanted = with_token({Protection::Authentication});
  std::string asked;
  wanted.find_token = [&](const TokenQuery& query) {
    asked = net::to_string(query.server) + " " + query.peer_address;
    return std::optional<TokenSecret>();
  };
  static_cast<void>(failure_of(std::move(wanted)));
  EXPECT_EQ(asked, "nn1:8020 nn1:8020");
}

TEST_F(ConnectionTest, TellsThatCredentialsAreMissing) {
  server_.options() = {.simple = false, .tokens = {{"a", "b"}}};
  const Failure plain = failure_of(target());
  EXPECT_EQ(plain.error.code, Errc::Unauthenticated);
  EXPECT_NE(plain.error.message.find("SIMPLE authentication is not enabled"), std::string::npos);
  EXPECT_NE(plain.error.message.find("kinit"), std::string::npos);
  Target wanted = target();
  wanted.kerberos = true;
  const Failure sasl = failure_of(std::move(wanted));
  EXPECT_EQ(sasl.error.code, Errc::Unauthenticated);
  EXPECT_NE(sasl.error.message.find("TOKEN/DIGEST-MD5"), std::string::npos);
}

TEST_F(ConnectionTest, RefusesAnotherProtection) {
  const Failure failure =
      failure_of(with_token({Protection::Privacy}, {Protection::Authentication}));
  EXPECT_EQ(failure.error.code, Errc::Unauthenticated);
  EXPECT_NE(failure.error.message.find("hadoop.rpc.protection"), std::string::npos);
}

TEST_F(ConnectionTest, RequiresTheServersProof) {
  Target wanted = with_token({Protection::Authentication});
  server_.faults().early_success = true;
  EXPECT_EQ(failure_of(std::move(wanted)).error.code, Errc::Unauthenticated);
}

TEST_F(ConnectionTest, NoticesDamageAndGarbage) {
  Target wanted = with_token({Protection::Integrity});
  server_.faults().damaged_wrap = true;
  EXPECT_EQ(failure_of(wanted).error.code, Errc::Corrupt);
  server_.faults() = {.garbage_after_sasl = true};
  EXPECT_EQ(failure_of(wanted).error.code, Errc::Corrupt);
  server_.faults() = {.oversized_length = true};
  EXPECT_EQ(failure_of(wanted).error.code, Errc::Corrupt);
}

TEST_F(ConnectionTest, NoticesAnswersThatAreNone) {
  const auto code_with = [&](testing::RpcFaults faults) {
    server_.faults() = faults;
    return failure_of(target()).error.code;
  };
  EXPECT_EQ(code_with({.wrong_call_id = true}), Errc::Corrupt);
  EXPECT_EQ(code_with({.wrong_client_id = true}), Errc::Corrupt);
  EXPECT_EQ(code_with({.oversized_length = true}), Errc::Corrupt);
  EXPECT_EQ(code_with({.trailing_bytes = true}), Errc::Corrupt);
  server_.faults() = {.unknown_fields = true};
  EXPECT_EQ(failure_of(target()).error.message, "");
}

TEST_F(ConnectionTest, SaysThatAWebServerAnswers) {
  server_.faults().http = true;
  EXPECT_NE(failure_of(target()).error.message.find("HTTP server"), std::string::npos);
}

TEST_F(ConnectionTest, SaysThatTheVersionIsAnother) {
  server_.faults().old_version = true;
  const Failure failure = failure_of(target());
  EXPECT_EQ(failure.error.code, Errc::Unsupported);
  EXPECT_NE(failure.error.message.find("IPC version 10"), std::string::npos);
}

TEST_F(ConnectionTest, GivesUpOnASilentSocket) {
  server_.faults().silent = true;
  EXPECT_EQ(failure_of(target()).error.message,
            "gave up waiting for NameNode, nn1:8020, to answer renew after 20.0 s");
  const Failure failure = failure_of(with_token({Protection::Authentication}));
  EXPECT_EQ(failure.error.code, Errc::DeadlineExceeded);
  net_.drop(first_);
  EXPECT_EQ(failure_of(target()).error.code, Errc::DeadlineExceeded);
}

TEST_F(ConnectionTest, EndsWellWhereverTheServerStops) {
  for (const bool sasl : {false, true}) {
    const Target wanted = sasl ? with_token({Protection::Privacy}) : target();
    size_t bytes = 0;
    for (; bytes < 1000; ++bytes) {
      server_.faults().cut_after = bytes;
      const Failure failure = failure_of(wanted);
      if (failure.error.message.empty()) {
        break;  // The whole answer fits.
      }
      EXPECT_EQ(failure.error.code, Errc::Unavailable) << bytes << failure.error.message;
    }
    EXPECT_GT(bytes, sasl ? 200U : 30U);
    EXPECT_LT(bytes, 1000U);
    server_.options() = {};
    server_.faults() = {};
  }
}

/// Destroys the call after every turn of the loop in which that is possible.
TEST_F(ConnectionTest, CanBeCancelledAtEveryStep) {
  net_.set_options({.read_max = 1});
  const Target wanted = with_token({Protection::Integrity});
  bool ended = false;
  int turns = 0;
  for (; !ended; ++turns) {
    const auto proxy = client_.proxy(wanted);
    {
      const auto running = rt::start(loop_, proxy->call(idempotent("renew"), request_, reply_),
                                     [&](const Outcome& outcome) { ended = outcome.has_value(); });
      int left = turns;
      loop_.run_until([&] { return left-- == 0; }, 1s);
    }
    if (!ended) {
      EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value()) << turns;
    }
  }
  EXPECT_GT(turns, 10);
}

}  // namespace
}  // namespace muster::hadoop::rpc

#include "hadoop/rpc/retry.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

using namespace std::chrono_literals;

Failure own(Errc code, bool may_be_done = false) {
  Failure failure(cluster_error("no", code));
  failure.may_be_done = may_be_done;
  return failure;
}

Failure thrown(std::string java_class, bool may_be_done = false) {
  Failure failure = own(Errc::Other, may_be_done);
  failure.exception_class = std::move(java_class);
  return failure;
}

constexpr Attempted kPair{.repetition = Repetition::NotRepeated, .servers = 2};

TEST(NextStep, OnlyWhatWasNotSentIsRepeatedByItself) {
  for (const Errc code : {Errc::Unavailable, Errc::DeadlineExceeded}) {
    EXPECT_EQ(next_step(own(code), kPair), NextStep::OtherServer);
    EXPECT_EQ(next_step(own(code, true), kPair), NextStep::GiveUp);
    for (const Repetition allowed : {Repetition::Idempotent, Repetition::AtMostOnce}) {
      EXPECT_EQ(next_step(own(code, true), {.repetition = allowed}), NextStep::OtherServer);
    }
  }
}

TEST(NextStep, AStandbyHasAnotherServer) {
  for (const char* name : {"org.apache.hadoop.ipc.StandbyException",
                           "org.apache.hadoop.ipc.ObserverRetryOnActiveException"}) {
    // Even a call that must not be done twice, because the standby has not done it.
    EXPECT_EQ(next_step(thrown(name, true), kPair), NextStep::OtherServer);
  }
  EXPECT_EQ(next_step(thrown("org.apache.hadoop.ipc.RetriableException"), kPair),
            NextStep::SameServer);
}

TEST(NextStep, RefusalsAreFinal) {
  for (const Errc code : {Errc::Unauthenticated, Errc::Corrupt, Errc::Unsupported,
                          Errc::PermissionDenied, Errc::InvalidArgument}) {
    EXPECT_EQ(next_step(own(code), kPair), NextStep::GiveUp);
  }
  for (const char* name :
       {"org.apache.hadoop.security.token.SecretManager$InvalidToken",
        "org.apache.hadoop.security.AccessControlException", "java.io.FileNotFoundException"}) {
    EXPECT_EQ(next_step(thrown(name), kPair), NextStep::GiveUp);
  }
}

TEST(NextStep, OnlyKerberosTriesAHandshakeAgain) {
  const Failure broken = thrown("javax.security.sasl.SaslException");
  EXPECT_EQ(next_step(broken, {.kerberos = true}), NextStep::SameServer);
  EXPECT_EQ(next_step(broken, {.kerberos = false}), NextStep::GiveUp);
}

TEST(NextStep, AnUnknownNameEndsItUnlessThereIsAnother) {
  EXPECT_EQ(next_step(own(Errc::NotFound), {.servers = 1}), NextStep::GiveUp);
  EXPECT_EQ(next_step(own(Errc::NotFound), kPair), NextStep::OtherServer);
}

TEST(RetryPause, IsNoneUntilAllServersWereAsked) {
  const RetryOptions options{.pause_first = 1s, .pause_max = 4s};
  EXPECT_EQ(retry_pause(options, 0, 2, NextStep::OtherServer, 255), 0s);
  EXPECT_EQ(retry_pause(options, 1, 2, NextStep::OtherServer, 255), 0s);
  EXPECT_EQ(retry_pause(options, 2, 2, NextStep::OtherServer, 255), 1s);
  EXPECT_EQ(retry_pause(options, 1, 2, NextStep::SameServer, 255), 1s);
}

TEST(RetryPause, DoublesUpToItsLimitWithJitter) {
  const RetryOptions options{.pause_first = 1s, .pause_max = 4s};
  EXPECT_EQ(retry_pause(options, 2, 1, NextStep::SameServer, 255), 2s);
  EXPECT_EQ(retry_pause(options, 2, 1, NextStep::SameServer, 0), 1s);
  EXPECT_EQ(retry_pause(options, 3, 1, NextStep::SameServer, 255), 4s);
  EXPECT_EQ(retry_pause(options, 1'000'000, 1, NextStep::SameServer, 255), 4s);
}

}  // namespace
}  // namespace muster::hadoop::rpc

#include "hadoop/rpc/remote_failure.h"

#include <gtest/gtest.h>

#include <hadoop/rpc.pb.h>

namespace muster::hadoop::rpc {
namespace {

using Header = ::hadoop::common::RpcResponseHeaderProto;

TEST(RemoteFailure, SaysTheFirstLineWithoutJavasWords) {
  const Failure failure =
      remote_failure("nn1 refuses mkdirs", "org.apache.hadoop.security.AccessControlException",
                     "org.apache.hadoop.security.AccessControlException: Permission denied: "
                     "user=bob.\n\tat org.apache...\n");
  EXPECT_EQ(failure.error,
            user_error("nn1 refuses mkdirs: Permission denied: user=bob (AccessControlException)",
                       Errc::PermissionDenied));
  EXPECT_TRUE(failure.is("AccessControlException"));
}

TEST(RemoteFailure, WhatNobodyKnowsIsTheClusters) {
  const Failure failure = remote_failure("nn1", "com.example.Odd", "");
  EXPECT_EQ(failure.error, cluster_error("nn1: no details given (Odd)", Errc::Other));
}

TEST(RemoteFailure, ShowsNoControlCharacters) {
  const Failure failure = remote_failure("nn1", "a\x1b[2J", "red \x1b[31m text");
  EXPECT_EQ(failure.error.message.find('\x1b'), std::string::npos);
}

TEST(RemoteFailure, SaysWhatToDoAboutARefusedToken) {
  const Failure failure =
      remote_failure("nn1", "org.apache.hadoop.security.token.SecretManager$InvalidToken",
                     "token (token for alice) is expired");
  EXPECT_EQ(failure.error.code, Errc::Unauthenticated);
  EXPECT_NE(failure.error.message.find("is expired (SecretManager$InvalidToken); get a new token"),
            std::string::npos)
      << failure.error.message;
}

TEST(RemoteFailure, SaysWhoMayLetAUserActForAnother) {
  const Failure failure =
      remote_failure("nn1", "org.apache.hadoop.security.authorize.AuthorizationException",
                     "User: alice/host@REALM is not allowed to impersonate bob");
  EXPECT_EQ(failure.error.code, Errc::PermissionDenied);
  EXPECT_NE(failure.error.message.find("hadoop.proxyuser.alice.hosts"), std::string::npos);
}

TEST(RemoteFailure, AHeadersDetailNarrowsAnUnknownClass) {
  Header header;
  header.set_status(Header::FATAL);
  header.set_errordetail(Header::FATAL_VERSION_MISMATCH);
  header.set_serveripcversionnum(10);
  const Failure failure = remote_failure("nn1", header);
  EXPECT_EQ(failure.error.code, Errc::Unsupported);
  EXPECT_NE(failure.error.message.find("IPC version 10"), std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop::rpc

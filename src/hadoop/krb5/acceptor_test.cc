#include "hadoop/krb5/acceptor.h"

#include "hadoop/krb5/exchanges.h"
#include "rt/scope.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::krb5 {
namespace {

KerberosOptions options_for(std::string keytab) {
  return {.program = shipped_helper(),
          .environment = {{"KRB5_KTNAME", "FILE:" + keytab}, {"KRB5_CONFIG", "/dev/null"}}};
}

TEST(Acceptors, SayThatThereAreNoKeys) {
  rt::IoLoop loop;
  Acceptor acceptor(loop, options_for("/nowhere/keytab"), "HTTP");
  const std::optional<Status> checked = testing::run_async(loop, acceptor.check());
  ASSERT_TRUE(checked.has_value());
  ASSERT_FALSE(checked->has_value());
  EXPECT_EQ(checked->error().code, Errc::Unauthenticated);
  // On a machine without the library, it says instead what to install.
  EXPECT_TRUE(checked->error().message.contains("/nowhere/keytab") ||
              checked->error().message.contains("libgssapi-krb5-2"))
      << checked->error().message;
  EXPECT_FALSE(checked->error().message.contains("kinit")) << "a service needs no ticket";
}

TEST(Acceptors, DoNotTrustWhateverAnswers) {
  rt::IoLoop loop;
  for (const char* program : {"/bin/false", "/bin/echo", "/usr/bin/yes", "/nowhere/muster-krb5"}) {
    Acceptor acceptor(loop, {.program = program, .environment = {}}, "HTTP");
    const auto peer = testing::run_async(loop, acceptor.accept("token"));
    ASSERT_TRUE(peer.has_value());
    EXPECT_FALSE(peer->has_value()) << program;
  }
}

rt::Async<> accept_one(Acceptor* acceptor, int* done) {
  const Result<AcceptedPeer> peer = co_await acceptor->accept("token");
  EXPECT_FALSE(peer.has_value());
  ++*done;
}

rt::Async<int> accept_many(rt::IoLoop* loop, Acceptor* acceptor, size_t count) {
  int done = 0;
  rt::Scope scope(*loop);
  for (size_t i = 0; i < count; ++i) {
    scope.spawn(accept_one(acceptor, &done));
  }
  co_await scope.drained();
  co_return done;
}

// Each of them ends, although most have to wait for a place.
TEST(Acceptors, JudgeAFewAtATime) {
  rt::IoLoop loop;
  Acceptor acceptor(loop, {.program = "/bin/false", .environment = {}}, "HTTP");
  constexpr size_t kMany = 3 * Acceptor::kAtOnceMax;
  EXPECT_EQ(testing::run_async(loop, accept_many(&loop, &acceptor, kMany)).value(), int{kMany});
}

}  // namespace
}  // namespace muster::hadoop::krb5

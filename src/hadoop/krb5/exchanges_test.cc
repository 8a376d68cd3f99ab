#include "hadoop/krb5/exchanges.h"

#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace muster::hadoop::krb5 {
namespace {

using rpc::Protection;
using Opened = Result<std::unique_ptr<rpc::SaslMechanism>>;

rt::Async<Result<std::string>> first_token(rpc::KerberosExchanges& exchanges,
                                           rpc::KerberosPeer peer) {
  Opened mechanism = co_await exchanges.open(std::move(peer));
  if (!mechanism) {
    co_return mechanism.error();
  }
  co_return co_await (*mechanism)->begin("");
}

/// Returns how a dialogue with the given program fails.
Error refused_by(const std::filesystem::path& program,
                 std::map<std::string, std::string> environment = {}) {
  rt::IoLoop loop;
  const auto exchanges =
      make_exchanges(loop, {.program = program, .environment = std::move(environment)});
  rpc::KerberosPeer peer{.service = "nn", .host = "localhost", .protections = {}};
  const auto token = testing::run_async(loop, first_token(*exchanges, std::move(peer)));
  if (!token || *token) {
    return bug("not refused");
  }
  return token->error();
}

TEST(Exchanges, SayThatTheHelperIsMissing) {
  const Error error = refused_by("/nowhere/muster-krb5");
  EXPECT_EQ(error.code, Errc::Unsupported);
  EXPECT_NE(error.message.find("Kerberos needs the program muster-krb5 beside muster"),
            std::string::npos);
}

TEST(Exchanges, SayThatTheHelperHasEnded) {
  EXPECT_EQ(refused_by("/bin/false").message,
            "nn@localhost: the helper muster-krb5 has ended unexpectedly");
}

TEST(Exchanges, DoNotTrustWhateverAnswers) {
  // echo prints the name of the service and exits.
  EXPECT_FALSE(refused_by("/bin/echo").message.empty());
  EXPECT_NE(refused_by("/usr/bin/yes").message.find("does not speak its protocol"),
            std::string::npos);
}

TEST(Exchanges, SayThatThereIsNoTicket) {
  const Error error = refused_by(
      shipped_helper(), {{"KRB5CCNAME", "FILE:/nowhere/cache"}, {"KRB5_CONFIG", "/dev/null"}});
  EXPECT_EQ(error.code, Errc::Unauthenticated);
  // On a machine without the library, it says instead what to install.
  EXPECT_TRUE(error.message.find("kinit") != std::string::npos ||
              error.message.find("libgssapi-krb5-2") != std::string::npos)
      << error.message;
}

/// A folder whose libraries are not real ones: the loader finds them first.
TEST(Exchanges, SayThatTheLibraryIsMissing) {
  std::string folder = ::testing::TempDir() + "muster-krb5-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  for (const char* name : {"libgssapi_krb5.so.2", "libgssapi.so.3"}) {
    std::ofstream(std::filesystem::path(folder) / name) << "not a library";
  }
  const Error error = refused_by(shipped_helper(), {{"LD_LIBRARY_PATH", folder}});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(error.code, Errc::Unauthenticated);
  EXPECT_NE(error.message.find("libgssapi-krb5-2"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace muster::hadoop::krb5

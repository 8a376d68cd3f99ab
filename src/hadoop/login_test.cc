#include "hadoop/login.h"

#include "hadoop/krb5_conf.h"
#include "hadoop/ticket_cache.h"
#include "hadoop/writable.h"
#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace muster::hadoop {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const WallTime kNow{seconds(1'700'000'000)};

void put_principal(WritableWriter& writer, const std::vector<std::string>& parts,
                   const std::string& realm) {
  writer.int32(1);
  writer.int32(static_cast<int32_t>(parts.size()));
  for (const std::string* text : [&] {
         std::vector<const std::string*> all{&realm};
         for (const std::string& part : parts) {
           all.push_back(&part);
         }
         return all;
       }()) {
    writer.int32(static_cast<int32_t>(text->size()));
    writer.raw(*text);
  }
}

void put_ticket(WritableWriter& writer, const std::vector<std::string>& server,
                const std::string& realm, WallTime ends) {
  put_principal(writer, {"alice"}, "R");
  put_principal(writer, server, realm);
  writer.raw(std::string("\x00\x12", 2));
  writer.int32(3);
  writer.raw("key");
  const auto at = [](WallTime time) {
    return static_cast<int32_t>(
        std::chrono::duration_cast<seconds>(time.time_since_epoch()).count());
  };
  for (const int32_t time : {at(ends - hours(10)), 0, at(ends), at(ends + hours(1))}) {
    writer.int32(time);
  }
  writer.byte(0);
  writer.int32(0);
  writer.int32(1);
  writer.raw(std::string("\x00\x02", 2));
  writer.int32(4);
  writer.raw("addr");
  writer.int32(0);
  writer.int32(6);
  writer.raw("ticket");
  writer.int32(0);
}

std::string cache(WallTime ends) {
  WritableWriter writer;
  writer.raw(std::string("\x05\x04\x00\x0C\x00\x01\x00\x08", 8));
  writer.raw("12345678");
  put_principal(writer, {"alice"}, "R");
  put_ticket(writer, {"krb5_ccache_conf_data", "pa_type"}, "X-CACHECONF:", WallTime{});
  put_ticket(writer, {"krbtgt", "R"}, "R", ends);
  put_ticket(writer, {"nn", "h"}, "R", ends + hours(9));
  return writer.take();
}

TEST(TicketCache, IsReadAsItWasWritten) {
  const Result<TicketCache> read = parse_ticket_cache(cache(kNow));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->principal, "alice@R");
  ASSERT_EQ(read->tickets.size(), 2U);
  ASSERT_NE(read->granting(), nullptr);
  EXPECT_EQ(*read->granting(),
            (Ticket{"alice@R", "krbtgt/R@R", kNow - hours(10), kNow, kNow + hours(1)}));
}

TEST(TicketCache, TornAtEveryByteItSaysSo) {
  const std::string bytes = cache(kNow);
  size_t whole = 0;
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const Result<TicketCache> torn = parse_ticket_cache(bytes.substr(0, cut));
    whole += torn.has_value() ? 1 : 0;
    EXPECT_TRUE(torn.has_value() || torn.error().code == Errc::Corrupt);
  }
  EXPECT_EQ(whole, 3U);  // At the cuts right behind one of the three tickets.
  EXPECT_EQ(parse_ticket_cache("hello").error().message, "not a Kerberos ticket cache");
  EXPECT_EQ(parse_ticket_cache("\x05\x02").error().code, Errc::Unsupported);
}

TEST(Krb5Conf, ReadsTheLibraryDefaults) {
  Krb5Conf conf;
  parse_krb5_conf(
      "# x\n[realms]\n default_realm = NO\n[libdefaults]\n default_realm = R\n"
      "\tdefault_ccache_name = KEYRING:persistent:%{uid}\n default_realm = LATER\n",
      conf);
  EXPECT_EQ(conf.default_realm, "R");
  EXPECT_EQ(conf.default_cache, "KEYRING:persistent:%{uid}");
}

class LoginTest : public ::testing::Test {
 protected:
  LoginTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("login-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~LoginTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) { return (folder_ / name).string(); }

  Result<Login> login(std::map<std::string, std::string> environment,
                      Authentication authentication = Authentication::Kerberos) {
    environment.emplace("KRB5_CONFIG", path("krb5.conf"));
    const Configuration configuration({.environment = std::move(environment), .properties = {}});
    return who_am_i(configuration, {.authentication = authentication},
                    {.files = *files_, .uid = 42, .now = kNow, .system_user = "system"});
  }

  std::filesystem::path folder_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

TEST_F(LoginTest, SimpleIsTheSystemsUser) {
  const Result<Login> plain = login({}, Authentication::Simple);
  EXPECT_EQ(plain->user, "system");
  const Result<Login> proxied = login({{"HADOOP_PROXY_USER", "bob"}}, Authentication::Simple);
  EXPECT_EQ(proxied->user, "bob");
  EXPECT_EQ(proxied->real_user, "system");
}

TEST_F(LoginTest, KerberosIsTheTicketsPrincipal) {
  write("cc", cache(kNow + hours(2)));
  const Result<Login> found = login({{"KRB5CCNAME", "FILE:" + path("cc")}});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->user, "alice");
  EXPECT_EQ(found->principal, "alice@R");
  EXPECT_EQ(found->ticket_ends, kNow + hours(2));
}

TEST_F(LoginTest, SaysWhatToTypeWithoutAValidTicket) {
  const Result<Login> none = login({{"KRB5CCNAME", path("none")}});
  EXPECT_EQ(none.error().code, Errc::Unauthenticated);
  EXPECT_EQ(none.error().message, "no Kerberos ticket in FILE:" + path("none") +
                                      ": run kinit, or set KRB5CCNAME to the cache that has one");
  write("old", cache(kNow - hours(3)));
  EXPECT_EQ(
      login({{"KRB5CCNAME", path("old")}}).error().message,
      "the Kerberos ticket of alice@R in FILE:" + path("old") + " expired 3 h ago: run kinit");
  write("renewable", cache(kNow - std::chrono::minutes(30)));
  EXPECT_NE(login({{"KRB5CCNAME", path("renewable")}}).error().message.find("kinit -R"),
            std::string::npos);
  write("bad", "text");
  EXPECT_NE(
      login({{"KRB5CCNAME", path("bad")}}).error().message.find("not a Kerberos ticket cache"),
      std::string::npos);
}

TEST_F(LoginTest, FindsTheCache) {
  const auto place = [&](std::map<std::string, std::string> environment) {
    environment.emplace("KRB5_CONFIG", path("krb5.conf"));
    return find_ticket_place(*files_, {.environment = std::move(environment), .properties = {}},
                             42);
  };
  EXPECT_EQ(place({}).path, "/tmp/krb5cc_42");
  EXPECT_EQ(place({{"KRB5CCNAME", "KCM:"}}).kind, TicketPlace::Kind::Other);
  write("primary", "tkt7\n");
  EXPECT_EQ(place({{"KRB5CCNAME", "DIR:" + folder_.string()}}).path, path("tkt7"));
  EXPECT_EQ(place({{"KRB5CCNAME", "DIR::/x/tkt1"}}).path, "/x/tkt1");
  write("more.conf", "[libdefaults]\n default_ccache_name = FILE:/run/%{uid}/cc\n");
  write("krb5.conf", "includedir " + folder_.string() + "\n");
  EXPECT_EQ(place({}).path, "/run/42/cc");
}

}  // namespace
}  // namespace muster::hadoop

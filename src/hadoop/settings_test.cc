#include "hadoop/conf_fixture_test.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

TEST(SecuritySettings, ReadsThemAndRefusesOtherWords) {
  const SecuritySettings defaults = *security_settings(Configuration());
  EXPECT_EQ(defaults.authentication, Authentication::Simple);
  EXPECT_EQ(defaults.rpc_protection, std::vector{Protection::Authentication});
  EXPECT_FALSE(defaults.rpc_protection_set);
  EXPECT_TRUE(defaults.data_transfer_protection.empty());
  EXPECT_TRUE(defaults.token_service_by_ip);
  const SecuritySettings secure =
      *security_settings(configured({{"hadoop.security.authentication", "kerberos"},
                                     {"hadoop.rpc.protection", "privacy, authentication"},
                                     {"dfs.data.transfer.protection", "integrity"}}));
  EXPECT_EQ(secure.authentication, Authentication::Kerberos);
  EXPECT_EQ(secure.rpc_protection, (std::vector{Protection::Privacy, Protection::Authentication}));
  EXPECT_TRUE(secure.rpc_protection_set);
  EXPECT_EQ(secure.data_transfer_protection, std::vector{Protection::Integrity});
  EXPECT_EQ(
      security_settings(configured({{"hadoop.security.authentication", "ldap"}})).error().message,
      "test.xml:1:3: error: hadoop.security.authentication is \"ldap\": must be simple or "
      "kerberos");
  EXPECT_FALSE(security_settings(configured({{"hadoop.rpc.protection", "secret"}})));
}

TEST(RpcSettings, HasHadoopsDefaults) {
  const RpcSettings settings = *rpc_settings(Configuration());
  EXPECT_EQ(settings.connect_timeout, std::chrono::seconds(20));
  EXPECT_EQ(settings.connect_retries_max, 10);
  EXPECT_EQ(settings.call_timeout, std::chrono::minutes(2));
  EXPECT_EQ(settings.response_bytes_max, 128U << 20);
  EXPECT_FALSE(rpc_settings(configured({{"ipc.client.connect.timeout", "-5"}})));
  EXPECT_FALSE(rpc_settings(configured({{"ipc.maximum.response.length", "5g"}})));
  EXPECT_FALSE(rpc_settings(configured({{"ipc.client.connect.max.retries", "-1"}})));
}

TEST(HdfsSettings, HasHadoopsDefaults) {
  const Result<HdfsSettings> settings = hdfs_settings(Configuration());
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->replication, 3);
  EXPECT_EQ(settings->block_bytes, 128ULL << 20);
  EXPECT_EQ(settings->checksum, ChecksumType::Crc32c);
  EXPECT_EQ(settings->umask, 0022U);
  EXPECT_EQ(settings->home_prefix, "/user");
  EXPECT_EQ(settings->data_node_restart_wait, std::chrono::seconds(30));
  EXPECT_EQ(settings->replace_policy, ReplacePolicy::Default);
  EXPECT_EQ(settings->failover_attempts_max, 15);
}

TEST(HdfsSettings, RefusesWhatCannotWork) {
  EXPECT_EQ(hdfs_settings(configured({{"dfs.blocksize", "1000"}})).error().message,
            "test.xml:1:3: error: dfs.blocksize is \"1000\": must be a multiple of "
            "dfs.bytes-per-checksum (512)");
  EXPECT_FALSE(hdfs_settings(configured({{"dfs.bytes-per-checksum", "0"}})));
  EXPECT_FALSE(hdfs_settings(configured({{"dfs.replication", "0"}})));
  EXPECT_FALSE(hdfs_settings(configured({{"dfs.checksum.type", "MD5"}})));
  EXPECT_FALSE(hdfs_settings(configured({{"fs.permissions.umask-mode", "rwx"}})));
  EXPECT_FALSE(hdfs_settings(
      configured({{"dfs.client.block.write.replace-datanode-on-failure.policy", "SOMETIMES"}})));
}

TEST(HdfsSettings, ReadsBothFormsOfAUmask) {
  EXPECT_EQ(parse_umask("022"), 0022U);
  EXPECT_EQ(parse_umask(" 77 "), 0077U);
  EXPECT_EQ(parse_umask("u=rwx,g=rx,o="), 0027U);
  EXPECT_EQ(parse_umask("a=rx"), 0222U);
  for (const char* text : {"", "8", "9999999999999", "u+w", "=x", "u=q", "z=r"}) {
    EXPECT_EQ(parse_umask(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster::hadoop

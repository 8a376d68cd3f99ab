#include "hadoop/server_principal.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

TEST(ServerPrincipal, APatternGoesBeforeTheName) {
  constexpr std::string_view kKey = "dfs.namenode.kerberos.principal";
  Configuration configuration;
  EXPECT_EQ(server_principal(configuration, kKey), "");
  configuration.set(kKey, "nn/_HOST@R", "test");
  EXPECT_EQ(server_principal(configuration, kKey), "nn/_HOST@R");
  configuration.set("dfs.namenode.kerberos.principal.pattern", "nn/*@R", "test");
  EXPECT_EQ(server_principal(configuration, kKey), "nn/*@R");
}

}  // namespace
}  // namespace muster::hadoop

#include "cluster/yarn/client/web_proxy.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace muster::cluster::yarn {
namespace {

WebProxies proxies_of(std::initializer_list<std::pair<std::string_view, std::string_view>> set) {
  hadoop::Configuration configuration;
  configuration.set("yarn.resourcemanager.hostname", "rm", "test");
  for (const auto& [name, value] : set) {
    configuration.set(name, value, "test");
  }
  return web_proxies(configuration).value();
}

TEST(WebProxies, AreTheResourceManagersUnlessThereIsOneApart) {
  const WebProxies plain = proxies_of({});
  ASSERT_EQ(plain.all.size(), 1U);
  EXPECT_EQ(plain.site(plain.all[0]), "http://rm:8088");
  EXPECT_EQ(plain.page_of("application_1_0001"), "http://rm:8088/proxy/application_1_0001/");
  EXPECT_FALSE(plain.acls);
  const WebProxies apart = proxies_of({{"yarn.web-proxy.address", "edge:9099"}});
  ASSERT_EQ(apart.all.size(), 1U);
  EXPECT_EQ(apart.site(apart.all[0]), "http://edge:9099");
}

TEST(WebProxies, AreAllOfSeveralResourceManagers) {
  const WebProxies proxies = proxies_of({{"yarn.resourcemanager.ha.enabled", "true"},
                                         {"yarn.resourcemanager.ha.rm-ids", "a,b"},
                                         {"yarn.resourcemanager.hostname.a", "one"},
                                         {"yarn.resourcemanager.hostname.b", "two"},
                                         {"yarn.http.policy", "HTTPS_ONLY"}});
  ASSERT_EQ(proxies.all.size(), 2U);
  EXPECT_EQ(proxies.site(proxies.all[1]), "https://two:8090");
}

TEST(WebProxies, KnowWhoMayLook) {
  EXPECT_TRUE(proxies_of({{"yarn.acl.enable", "true"}}).admins.everybody);
  const WebProxies closed =
      proxies_of({{"yarn.acl.enable", "true"}, {"yarn.admin.acl", "root,yarn ops"}});
  EXPECT_TRUE(closed.acls);
  EXPECT_EQ(hadoop::to_text(closed.admins), "root,yarn ops");
}

}  // namespace
}  // namespace muster::cluster::yarn

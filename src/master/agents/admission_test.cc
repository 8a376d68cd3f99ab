#include "master/agents/admission.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace muster::master {
namespace {

TEST(Admission, AnAgentIsSentTheSecretsOfItsRoleAlone) {
  job::Plan plan;
  for (const char* name : {"worker", "ps"}) {
    plan.roles.emplace_back().name = name;
    plan.spec.roles.emplace_back().name = name;
  }
  plan.spec.roles[0].env["TOKEN"] = {};
  const std::map<std::string, std::string> all = {{"env.TOKEN", "for all"},
                                                  {"env.OTHER", "shared"},
                                                  {"roles.worker.env.TOKEN", "worker's"},
                                                  {"roles.ps.env.KEY", "ps's"}};
  EXPECT_EQ(secrets_of_role(plan, job::RoleIndex(0), all),
            (std::map<std::string, std::string>{{"env.OTHER", "shared"},
                                                {"roles.worker.env.TOKEN", "worker's"}}));
  EXPECT_EQ(secrets_of_role(plan, job::RoleIndex(1), all),
            (std::map<std::string, std::string>{
                {"env.OTHER", "shared"}, {"env.TOKEN", "for all"}, {"roles.ps.env.KEY", "ps's"}}));
}

}  // namespace
}  // namespace muster::master

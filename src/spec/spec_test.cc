#include "spec/spec.h"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

TEST(RoleSettings, TakeTheRolesOwnValueFirst) {
  Spec spec;
  spec.command = "python3 train.py";
  spec.env["A"] = {.text = "top"};
  spec.env["B"] = {.text = "top"};
  spec.files = {{.src = "train.py"}};
  spec.restart.process = 7;
  Role role{.name = "worker"};
  role.env["A"] = {.text = "role"};
  role.files = std::vector<File>{{.src = "other.py"}};
  const RoleSettings settings = settings_of(spec, role);
  EXPECT_EQ(settings.command, "python3 train.py");
  EXPECT_EQ(settings.env.at("A").text, "role");
  EXPECT_EQ(settings.env.at("B").text, "top");
  EXPECT_EQ(settings.files.at(0).src, "other.py");
  EXPECT_EQ(settings.restart.process, 7U);
}

TEST(FindRole, ReturnsNullForAnUnknownName) {
  Spec spec;
  spec.roles.push_back({.name = "ps"});
  EXPECT_EQ(find_role(spec, "ps"), &spec.roles[0]);
  EXPECT_EQ(find_role(spec, "worker"), nullptr);
}

}  // namespace
}  // namespace muster::spec

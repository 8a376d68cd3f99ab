#include "hadoop/access_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::hadoop {
namespace {

using Names = std::set<std::string>;

TEST(AccessList, IsReadAsHadoopWritesIt) {
  EXPECT_EQ(parse_access_list("root,yarn"), (AccessList{.users = {"root", "yarn"}, .groups = {}}));
  EXPECT_EQ(parse_access_list("root,yarn ops,staff").groups, (Names{"ops", "staff"}));
  EXPECT_EQ(parse_access_list(" staff"), (AccessList{.users = {}, .groups = {"staff"}}));
  EXPECT_TRUE(parse_access_list("*").everybody);
  EXPECT_TRUE(parse_access_list(" * ").everybody);
  EXPECT_EQ(parse_access_list(" "), AccessList());
  EXPECT_EQ(parse_access_list(""), AccessList());
}

TEST(AccessList, OfASpecificationIsWrittenForHadoop) {
  const std::vector<std::string> names{"bob", "group:staff", "alice"};
  const AccessList list = access_list_of(names);
  EXPECT_EQ(to_text(list), "alice,bob staff");
  EXPECT_EQ(parse_access_list(to_text(list)), list);
  EXPECT_EQ(to_text(access_list_of(std::vector<std::string>{"group:a", "group:b"})), " a,b");
  EXPECT_EQ(to_text(access_list_of(std::vector<std::string>{"alice", "*"})), "*");
  EXPECT_EQ(to_text(AccessList()), "");
  EXPECT_TRUE(list.names("bob"));
  EXPECT_FALSE(list.names("staff"));
  EXPECT_TRUE(either(list, {.everybody = true}).names("eve"));
}

}  // namespace
}  // namespace muster::hadoop

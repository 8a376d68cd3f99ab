#include "hadoop/principal.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

std::string short_name(std::string_view rules, std::string_view principal) {
  const Result<ShortNames> names = ShortNames::parse(rules, "EXAMPLE");
  if (!names) {
    return names.error().message;
  }
  const Result<std::string> name = names->of(*parse_principal(principal));
  return name ? *name : name.error().message;
}

TEST(Principal, HasOneOrTwoPartsAndMaybeARealm) {
  EXPECT_EQ(*parse_principal("alice"), (Principal{"alice", "", ""}));
  EXPECT_EQ(*parse_principal("nn/h.example@EXAMPLE"), (Principal{"nn", "h.example", "EXAMPLE"}));
  EXPECT_EQ(to_string(*parse_principal("nn/h@R")), "nn/h@R");
  for (const char* text : {"", "@R", "a@", "/h@R", "a/@R", "a/b/c@R", "a@b@R"}) {
    EXPECT_FALSE(parse_principal(text).has_value()) << text;
  }
}

TEST(Principal, TakesTheHostsNameInLowerCase) {
  EXPECT_EQ(with_host("nn/_HOST@R", "Host.Example"), "nn/host.example@R");
  EXPECT_EQ(with_host("nn/_HOST", "h"), "nn/h");
  EXPECT_EQ(with_host("nn/_HOSTS@R", "h"), "nn/_HOSTS@R");
  EXPECT_EQ(with_host("nn/fixed@R", "h"), "nn/fixed@R");
}

TEST(Principal, MatchesGlobs) {
  EXPECT_TRUE(matches_glob("nn/*@EXAMPLE", "nn/a.example@EXAMPLE"));
  EXPECT_TRUE(matches_glob("{nn,rm}/h[0-9]?.x", "rm/h12.x"));
  EXPECT_FALSE(matches_glob("nn/*.x", "nn/aXx"));
  EXPECT_TRUE(matches_glob("a\\*", "a*"));
  for (const char* glob : {"[", "{a", "a\\", "[z-a]"}) {
    EXPECT_FALSE(matches_glob(glob, "a")) << glob;
  }
}

TEST(ShortNames, DefaultTakesTheFirstPartOfOurRealm) {
  EXPECT_EQ(short_name("DEFAULT", "alice@EXAMPLE"), "alice");
  EXPECT_EQ(short_name("", "nn/h@EXAMPLE"), "nn");
  EXPECT_EQ(short_name("DEFAULT", "alice@OTHER"),
            "no rule of hadoop.security.auth_to_local gives alice@OTHER a short name");
  EXPECT_EQ(short_name("DEFAULT", "alice"), "alice");
}

TEST(ShortNames, RulesApplyInOrder) {
  constexpr std::string_view kRules =
      "RULE:[2:$1@$0](nn@EXAMPLE)s/.*/hdfs/\n"
      "  RULE:[1:$1@$0](.*@OTHER)s/@.*///L\n"
      "RULE:[2:$1;$2](^.*;admin$)s/;admin$//\n"
      "RULE:[1:$1](a.*)s/a/b/g\nDEFAULT";
  EXPECT_EQ(short_name(kRules, "nn/h1@EXAMPLE"), "hdfs");
  EXPECT_EQ(short_name(kRules, "Bob@OTHER"), "bob");
  EXPECT_EQ(short_name(kRules, "carol/admin@THIRD"), "carol");
  EXPECT_EQ(short_name(kRules, "anna@THIRD"), "bnnb");
  EXPECT_EQ(short_name(kRules, "dave@EXAMPLE"), "dave");
  EXPECT_EQ(short_name("RULE:[1:$1@$0](.*)s/(.*)@(.*)/$2_$1/", "x@R"), "R_x");
}

TEST(ShortNames, RefusesRulesThatCannotWork) {
  EXPECT_EQ(short_name("RULE[1:$1]", "a@R"),
            "hadoop.security.auth_to_local: neither DEFAULT nor RULE:[ in \"RULE[1:$1]\"");
  for (const char* rules : {"RULE:[x:$1]", "RULE:[1:$1", "RULE:[1:$1](a", "RULE:[1:$1]s/a/b",
                            "RULE:[1:$1]([)", "DEFAULT junk", "RULE:[1:$7]"}) {
    EXPECT_NE(short_name(rules, "a@R").find("hadoop.security.auth_to_local"), std::string::npos)
        << rules;
  }
  EXPECT_NE(short_name("RULE:[1:$1@$0]", "a@R").find("which is not a user name"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop

#include "hadoop/yarn/constraint_parser.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster::hadoop::yarn {
namespace {

constexpr int32_t kMany = std::numeric_limits<int32_t>::max();

PlacementTarget tag(const std::string& name, const std::string& space = "self") {
  return {.kind = TargetKind::AllocationTag, .key = space, .values = {name}};
}

PlacementConstraint simple(SimpleConstraint constraint) {
  return {.simple = std::move(constraint), .combination = Combination::And, .children = {}};
}

PlacementConstraint not_beside(const std::string& name) {
  return simple({.scope = "node", .targets = {tag(name)}, .min = 0, .max = 0});
}

TEST(ConstraintParser, ReadsAffinityAntiAffinityAndCardinality) {
  EXPECT_EQ(parse_constraint("notin,node,ps").value(), not_beside("ps"));
  EXPECT_EQ(
      parse_constraint("in,rack,ps,chief").value(),
      simple({.scope = "rack", .targets = {tag("ps"), tag("chief")}, .min = 1, .max = kMany}));
  EXPECT_EQ(parse_constraint("cardinality,node,a,b,1,3").value(),
            simple({.scope = "node", .targets = {tag("a"), tag("b")}, .min = 1, .max = 3}));
}

TEST(ConstraintParser, CaseAndBlanksDoNotMatterButTagsKeepTheirs) {
  EXPECT_EQ(parse_constraint("  NotIn , NODE , Ps ").value(), not_beside("Ps"));
}

TEST(ConstraintParser, ATagMayBelongToOthers) {
  EXPECT_EQ(parse_constraint("notin,node,all/hbase,app-tag/etl/db").value(),
            simple({.scope = "node",
                    .targets = {tag("hbase", "all"), tag("db", "app-tag/etl")},
                    .min = 0,
                    .max = 0}));
}

TEST(ConstraintParser, ReadsAttributesOfNodes) {
  const auto constraint = [](AttributeOperator sign) {
    return simple({.scope = "node",
                   .targets = {{.kind = TargetKind::NodeAttribute,
                                .key = "rm.yarn.io/python",
                                .values = {"3.11", "3.12"}}},
                   .min = -1,
                   .max = -1,
                   .attribute_operator = sign});
  };
  EXPECT_EQ(parse_constraint("rm.yarn.io/python=3.11,3.12").value(),
            constraint(AttributeOperator::Equal));
  EXPECT_EQ(parse_constraint("rm.yarn.io/python!=3.11,3.12").value(),
            constraint(AttributeOperator::NotEqual));
}

TEST(ConstraintParser, CombinationsNest) {
  const auto inner = parse_constraint("or(in,rack,a:os=linux)").value();
  const PlacementConstraint wanted{.simple = std::nullopt,
                                   .combination = Combination::And,
                                   .children = {not_beside("ps"), inner}};
  EXPECT_EQ(parse_constraint("AND( notin,node,ps : or(in,rack,a:os=linux) )").value(), wanted);
  EXPECT_EQ(inner.combination, Combination::Or);
  ASSERT_EQ(inner.children.size(), 2U);
}

TEST(ConstraintParser, AWordThatBeginsLikeACombinationIsNone) {
  EXPECT_EQ(parse_constraint("or.org/x=1").value().simple->targets.front().key, "or.org/x");
}

TEST(ConstraintParser, FindsTheTagsOfTheApplicationItself) {
  EXPECT_EQ(own_tags_in(parse_constraint("and(in,node,a,self/b:notin,node,all/c:x=1)").value()),
            (std::vector<std::string>{"a", "b"}));
}

struct Bad {
  std::string text;
  std::string message;  ///< After the text.
};

TEST(ConstraintParser, WhatIsWrongIsToldWithItsColumn) {
  const std::string operators =
      "a constraint must be in,SCOPE,TAG or notin,SCOPE,TAG or cardinality,SCOPE,TAG,MIN,MAX or "
      "NAME=VALUE, or several of them as in and(C:C) and or(C:C)";
  const std::vector<Bad> table = {
      {"", "column 1: " + operators},
      {"beside,node,ps", "column 1: beside is not an operator: " + operators},
      {"notin", "column 6: the scope is missing: `node` or `rack`"},
      {"notin,host,ps", "column 7: the scope must be `node` or `rack`, not host"},
      {"notin,node", "column 11: a tag is missing after the scope"},
      {"notin,node,", "column 12: an argument is missing"},
      {"notin,,ps", "column 7: an argument is missing"},
      {"notin,node,a b", "column 12: a b has a space in it; separate words by commas"},
      {"notin,node,ours/ps",
       "column 12: before the slash of a tag must be self, not-self, all, app-id/ID or "
       "app-tag/TAG, not ours"},
      {"notin,node,app-tag/ps",
       "column 12: before the slash of a tag must be self, not-self, all, app-id/ID or "
       "app-tag/TAG, not app-tag"},
      {"notin,node,self/", "column 12: self/ is not a tag"},
      {"notin,node,a=1", "column 12: a=1 is not a tag"},
      {"cardinality,node,ps,1",
       "column 22: cardinality needs a tag and the minimum and maximum of its containers, as in "
       "cardinality,node,TAG,0,2"},
      {"cardinality,node,ps,x,2", "column 21: must be a whole number, 0 or more, not x"},
      {"cardinality,node,ps,-1,2", "column 21: must be a whole number, 0 or more, not -1"},
      {"cardinality,node,ps,3,2", "column 23: the maximum, 2, is less than the minimum, 3"},
      {"cardinality,node,ps,0,99999999999",
       "column 23: must be a whole number, 0 or more, not 99999999999"},
      {"=1", "column 1: a node attribute must be NAME=VALUE or NAME!=VALUE"},
      {"a=", "column 1: a node attribute must be NAME=VALUE or NAME!=VALUE"},
      {"a=1,b=2", "column 5: write several attributes as and(A=1:B=2)"},
      {"and(notin,node,ps",
       "column 18: the parenthesis is not closed: `:` and another constraint, or `)`, is missing"},
      {"and()", "column 5: " + operators},
      {"and(notin,node,a:)", "column 18: " + operators},
      {"notin(node,ps)", "column 6: parentheses are allowed only after `and` and `or`"},
      {"notin,node,ps)", "column 14: unexpected )"},
      {"notin,node,ps:in,node,a", "column 14: unexpected :in,node,a"},
      {"and(notin,node,a)x=1", "column 18: unexpected x=1"},
  };
  for (const Bad& bad : table) {
    const auto parsed = parse_constraint(bad.text);
    ASSERT_FALSE(parsed.has_value()) << bad.text;
    EXPECT_EQ(parsed.error().message, bad.text + ": " + bad.message);
    EXPECT_EQ(parsed.error().code, Errc::InvalidArgument);
    EXPECT_EQ(parsed.error().blame, Blame::User);
  }
}

TEST(ConstraintParser, DepthIsBounded) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "and(";
  }
  const auto parsed = parse_constraint(text);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_NE(parsed.error().message.find("at most 16 deep"), std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop::yarn

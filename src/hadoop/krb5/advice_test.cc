#include "hadoop/krb5/advice.h"

#include <gtest/gtest.h>

namespace muster::hadoop::krb5 {
namespace {

TEST(Advice, SaysWhereToLook) {
  const auto expect = [](std::string_view text, std::string_view part) {
    EXPECT_NE(advice_for(text).find(part), std::string_view::npos) << text;
  };
  expect("Server krbtgt/ELSEWHERE@BED not found in Kerberos database", "[domain_realm]");
  expect("Cannot contact any KDC for realm 'BED'", "[realms]");
  expect("Cannot find KDC for realm \"OTHER\"", "default_realm");
  expect("Clock skew too great", "NTP");
}

TEST(Advice, IsSilentWhereItKnowsNothing) {
  EXPECT_EQ(advice_for("Unspecified GSS failure"), "");
  EXPECT_EQ(advice_for(""), "");
}

}  // namespace
}  // namespace muster::hadoop::krb5

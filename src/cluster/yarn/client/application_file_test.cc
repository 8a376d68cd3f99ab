#include "cluster/yarn/client/application_file.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

TEST(ApplicationFile, IsReadBackAsItWasWritten) {
  const ApplicationFile file{.application_id = "application_1_0001",
                             .conf = "/etc/hadoop",
                             .folder = "/user/alice/.muster/jobs/digits-7f3k2q"};
  EXPECT_EQ(parse_application_file(to_text(file)).value(), file);
}

TEST(ApplicationFile, DamageIsTold) {
  for (const char* const text : {"", "{}", "[]", R"({"schema":"muster.application/1"})"}) {
    EXPECT_EQ(parse_application_file(text).error().code, Errc::Corrupt) << text;
  }
}

}  // namespace
}  // namespace muster::cluster::yarn

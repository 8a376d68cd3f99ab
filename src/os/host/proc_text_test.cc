#include "os/host/proc_text.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace {

TEST(VariableIn, FindsTheWholeNameOnly) {
  constexpr std::string_view kEnviron("RANKS=3\0RANK=1\0EMPTY=\0HOME=/a=b\0", 33);
  EXPECT_EQ(variable_in(kEnviron, "RANK"), "1");
  EXPECT_EQ(variable_in(kEnviron, "HOME"), "/a=b");
  EXPECT_EQ(variable_in(kEnviron, "EMPTY"), "");
  EXPECT_EQ(variable_in(kEnviron, "OME"), "");
}

}  // namespace
}  // namespace muster::os

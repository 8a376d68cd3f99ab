#include "verdict/reference.h"

#include "verdict/failure_class.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace muster::verdict {
namespace {

TEST(Reference, PageIsThatOfTheTables) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/docs/reference/failures.md");
  std::stringstream page;
  page << file.rdbuf();
  if (page.str() != reference_markdown()) {
    const std::string fresh = ::testing::TempDir() + "failures.md";
    std::ofstream(fresh) << reference_markdown();
    FAIL() << "the tables changed: cp " << fresh << " docs/reference/failures.md";
  }
}

/// Somebody who reads what happened also wants to know what to do next.
TEST(Reference, EveryClassSaysWhatToDo) {
  for (const FailureClass& row : failure_classes()) {
    EXPECT_NE(row.meaning, "") << row.name;
    EXPECT_NE(row.hint, "") << row.name;
    EXPECT_FALSE(row.hint.ends_with('.')) << row.name;
  }
}

}  // namespace
}  // namespace muster::verdict

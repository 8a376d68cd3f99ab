#include "verdict/reference.h"

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
    const std::string fresh = testing::TempDir() + "failures.md";
    std::ofstream(fresh) << reference_markdown();
    FAIL() << "the tables changed: cp " << fresh << " docs/reference/failures.md";
  }
}

}  // namespace
}  // namespace muster::verdict

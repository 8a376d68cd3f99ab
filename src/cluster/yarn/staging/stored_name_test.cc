#include "cluster/yarn/staging/stored_name.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::cluster::yarn {
namespace {

TEST(StoredName, TellsWhatIsOurs) {
  const std::string hash(64, 'a');
  EXPECT_EQ(stored_kind(hash), StoredKind::Whole);
  EXPECT_EQ(stored_kind(hash + ".tar.gz"), StoredKind::Whole);
  EXPECT_EQ(stored_kind(hash + ".0123456789abcdef"), StoredKind::Unfinished);
  EXPECT_EQ(stored_kind(hash + ".zip.0123456789abcdef"), StoredKind::Unfinished);
  EXPECT_EQ(stored_kind(hash + ".removing"), StoredKind::Aside);
  EXPECT_EQ(stored_kind(hash + ".tgz.removing"), StoredKind::Aside);
}

TEST(StoredName, CopiesOfOneContentHaveNamesOfTheirOwn) {
  const std::string hash(64, 'a');
  EXPECT_EQ(stored_name(hash, 1), hash);
  EXPECT_EQ(stored_name(hash, 2), hash + "-2");
  EXPECT_EQ(stored_kind(stored_name(hash, 2)), StoredKind::Whole);
  EXPECT_EQ(stored_kind(stored_name(hash, 12) + ".zip"), StoredKind::Whole);
  EXPECT_EQ(stored_kind(stored_name(hash, 12) + ".zip.0123456789abcdef"), StoredKind::Unfinished);
  EXPECT_EQ(stored_kind(stored_name(hash, 3) + ".removing"), StoredKind::Aside);
}

TEST(StoredName, LeavesWhatIsNot) {
  const std::string hash(64, 'a');
  for (const std::string& name :
       {std::string("weights.bin"), std::string(), hash.substr(1), hash + ".bin", hash + "b",
        std::string(80, 'x'), hash + ".0123456789abcdeg", "x" + hash + ".removing", hash + ".",
        hash + ".0123456789abcdef.zip", hash + "-", hash + "-2x", hash + "-.zip"}) {
    EXPECT_EQ(stored_kind(name), StoredKind::Foreign) << name;
  }
}

}  // namespace
}  // namespace muster::cluster::yarn
